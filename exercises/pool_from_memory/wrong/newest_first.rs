// Wrong: a stack and not a queue: under load the oldest job waits forever.
// The check says: the pool ran the jobs 1 to 5 in the order [5, 4, 3, 2, 1]

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    stack: Arc<Stack>,
    workers: Vec<JoinHandle<()>>,
}

struct Stack {
    most: usize,
    jobs: Mutex<(Vec<Job>, bool)>,
    changed: Condvar,
}

impl ThreadPool {
    /// Starts `threads` workers. At most `waiting` jobs are in the queue.
    pub fn new(threads: usize, waiting: usize) -> ThreadPool {
        let jobs = Mutex::new((Vec::new(), false));
        let stack = Arc::new(Stack { most: waiting, jobs, changed: Condvar::new() });
        let mut workers = Vec::new();
        for _ in 0..threads {
            let stack = Arc::clone(&stack);
            workers.push(thread::spawn(move || work(&stack)));
        }
        ThreadPool { stack, workers }
    }

    /// Queues a job; waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let mut jobs = self.stack.jobs.lock().unwrap();
        while jobs.0.len() >= self.stack.most {
            jobs = self.stack.changed.wait(jobs).unwrap();
        }
        jobs.0.push(Box::new(job));
        self.stack.changed.notify_all();
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.stack.jobs.lock().unwrap().1 = true;
        self.stack.changed.notify_all();
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its jobs");
        }
    }
}

/// The job that came last; `None` when the pool is being dropped and none is left.
fn next(stack: &Stack) -> Option<Job> {
    let mut jobs = stack.jobs.lock().unwrap();
    while jobs.0.is_empty() && !jobs.1 {
        jobs = stack.changed.wait(jobs).unwrap();
    }
    stack.changed.notify_all();
    jobs.0.pop()
}

/// Runs the jobs, until the stack is closed and empty.
fn work(stack: &Stack) {
    while let Some(job) = next(stack) {
        // The panic has been printed, and the job is gone.
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
