// Wrong: holds the lock while a job runs: the guard in the head of the `while let` lives until its body ends.
// The check says: of 4 workers ran a job at the same time

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    /// `None` once the pool is being dropped.
    queue: Option<SyncSender<Job>>,
    workers: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts `threads` workers. At most `waiting` jobs are in the queue.
    pub fn new(threads: usize, waiting: usize) -> ThreadPool {
        let (queue, jobs) = mpsc::sync_channel(waiting);
        let jobs = Arc::new(Mutex::new(jobs));
        let mut workers = Vec::new();
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            workers.push(thread::spawn(move || work(&jobs)));
        }
        ThreadPool { queue: Some(queue), workers }
    }

    /// Queues a job; waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let queue = self.queue.as_ref().expect("only `drop` takes it away");
        queue.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Without a sender the queue is closed: `recv` returns the queued jobs, and then an error.
        drop(self.queue.take());
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its jobs");
        }
    }
}

/// Runs the jobs, until the queue is closed and empty.
fn work(jobs: &Mutex<Receiver<Job>>) {
    while let Ok(job) = jobs.lock().unwrap_or_else(|error| error.into_inner()).recv() {
        // The panic has been printed, and the job is gone.
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
