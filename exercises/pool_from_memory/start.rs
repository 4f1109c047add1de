// Write a pool of threads from memory.
//
// Here are the three functions of a pool, and nothing in them.
//
// Your turn: close the book and write them. You know all of it now.
//
// - `new` starts the workers, which take jobs from one queue, the oldest first.
// - `execute` puts a job into the queue. While the queue is full, it waits.
// - A job that panics costs nothing but itself, whatever its panic carries: its worker takes the next.
// - `drop` returns when every queued job is done and every worker has ended.

/// A fixed number of threads that run jobs.
pub struct ThreadPool {}

impl ThreadPool {
    /// Starts `threads` workers. At most `waiting` jobs are in the queue.
    pub fn new(threads: usize, waiting: usize) -> ThreadPool {
        ThreadPool {}
    }

    /// Queues a job; waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {}
}

impl Drop for ThreadPool {
    fn drop(&mut self) {}
}
