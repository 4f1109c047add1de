//! A fixed number of worker threads, and a bounded queue of jobs.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::{io, mem, thread};

// ANCHOR: types
/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that share one queue of jobs.
///
/// Dropping the pool finishes every job that was queued, then joins the workers.
pub struct ThreadPool {
    queue: Arc<Queue>,
    workers: Vec<thread::JoinHandle<()>>,
}

/// The jobs that wait for a worker: at most `slots` of them.
struct Queue {
    state: Mutex<State>,
    slots: usize,
    /// Signalled when a job was added, or the queue was closed.
    job_added: Condvar,
    /// Signalled when a job was taken.
    job_taken: Condvar,
}

struct State {
    jobs: VecDeque<Job>,
    closed: bool,
}
// ANCHOR_END: types

// ANCHOR: pool
/// How large a pool is. With names, so that nobody calls for 64 workers and a queue of eight by mistake.
pub struct Size {
    pub workers: NonZeroUsize,
    /// How many jobs may wait for a worker.
    pub slots: NonZeroUsize,
}

impl ThreadPool {
    /// Starts the workers, and a queue in front of them.
    ///
    /// # Errors
    /// When the system has no more threads to give. The workers that were started end again.
    pub fn new(size: Size) -> io::Result<ThreadPool> {
        let queue = Arc::new(Queue::new(size.slots.get()));
        let mut pool = ThreadPool { queue, workers: Vec::new() };
        for number in 1..=size.workers.get() {
            let queue = Arc::clone(&pool.queue);
            let builder = thread::Builder::new().name(format!("worker-{number}"));
            pool.workers.push(builder.spawn(move || work(&queue))?);
        }
        Ok(pool)
    }

    /// Queues a job. Waits while the queue is full: this is *back-pressure*.
    ///
    /// A job must not queue jobs into its own pool: if all workers wait here, none makes room.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.queue.push(Box::new(job));
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.queue.close();
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its jobs");
        }
    }
}
// ANCHOR_END: pool

// ANCHOR: worker
/// What a worker does all its life: take a job, run it, take the next.
fn work(queue: &Queue) {
    while let Some(job) = queue.pop() {
        // A job that panics has failed its own client. The worker lives on for the others.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
// ANCHOR_END: worker

// ANCHOR: queue
impl Queue {
    fn new(slots: usize) -> Queue {
        let state = State { jobs: VecDeque::with_capacity(slots), closed: false };
        Queue {
            state: Mutex::new(state),
            slots,
            job_added: Condvar::new(),
            job_taken: Condvar::new(),
        }
    }

    /// Adds a job at the back. Blocks while the queue is full.
    fn push(&self, job: Job) {
        let mut state = self.lock();
        while state.jobs.len() == self.slots {
            // `wait` gives the lock back while it sleeps. The loop looks again, because another
            // thread may have been faster, and because a condition variable may wake for no reason.
            state = self.job_taken.wait(state).expect(NOT_POISONED);
        }
        state.jobs.push_back(job);
        self.job_added.notify_one();
    }

    /// Takes the job at the front. Blocks while the queue is empty; `None` once it is closed too.
    fn pop(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                self.job_taken.notify_one();
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self.job_added.wait(state).expect(NOT_POISONED);
        }
    }

    /// Says that no more jobs will come, and wakes every worker to hear it.
    fn close(&self) {
        self.lock().closed = true;
        self.job_added.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NOT_POISONED)
    }
}

const NOT_POISONED: &str = "no job runs, and so nothing panics, while the queue is locked";
// ANCHOR_END: queue
