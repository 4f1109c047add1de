// Wrong: each worker has a queue of its own, so jobs wait behind one that takes long while another worker is idle.
// The check says: of 6 jobs were done while one of two workers was busy

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    queues: Vec<SyncSender<Job>>,
    next: AtomicUsize,
    workers: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts `threads` workers. At most `waiting` jobs are in the queue.
    pub fn new(threads: usize, waiting: usize) -> ThreadPool {
        let mut queues = Vec::new();
        let mut workers = Vec::new();
        for _ in 0..threads {
            let (queue, jobs) = mpsc::sync_channel(waiting);
            queues.push(queue);
            workers.push(thread::spawn(move || work(&jobs)));
        }
        ThreadPool { queues, next: AtomicUsize::new(0), workers }
    }

    /// Queues a job; waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let queue = &self.queues[next % self.queues.len()];
        queue.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Without a sender the queue is closed: `recv` returns the queued jobs, and then an error.
        self.queues.clear();
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its jobs");
        }
    }
}

/// Runs the jobs, until the queue is closed and empty.
fn work(jobs: &Receiver<Job>) {
    loop {
        let Ok(job) = jobs.recv() else { return };
        // The panic has been printed, and the job is gone.
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
