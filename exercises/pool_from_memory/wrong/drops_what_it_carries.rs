// Wrong: catches the panic, but drops what it carries outside of the catch, and that may panic again.
// The check says: after a job had panicked, with something that panics when dropped

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
        let _ = queue.send(Box::new(job));
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Without a sender the queue is closed: `recv` returns the queued jobs, and then an error.
        drop(self.queue.take());
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// Runs the jobs, until the queue is closed and empty.
fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        // The lock is given back at the end of the statement, before the job runs.
        let next = jobs.lock().expect("no job runs under this lock").recv();
        let Ok(job) = next else { return };
        // The panic has been printed, and the job is gone.
        let _ = panic::catch_unwind(AssertUnwindSafe(job));
    }
}
