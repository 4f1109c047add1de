// Wrong: each worker has a channel of its own, so jobs wait behind one that takes long.
// The check says: of 6 jobs were done while one of two workers was busy

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    senders: Vec<Sender<Job>>,
    next: AtomicUsize,
}

impl ThreadPool {
    /// Starts `threads` workers.
    pub fn new(threads: usize) -> ThreadPool {
        let mut senders = Vec::new();
        for _ in 0..threads {
            let (sender, receiver) = mpsc::channel::<Job>();
            senders.push(sender);
            thread::spawn(move || receiver.into_iter().for_each(|job| job()));
        }
        ThreadPool { senders, next: AtomicUsize::new(0) }
    }

    /// Queues a job. Nothing is wrong here.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.senders[next % self.senders.len()].send(Box::new(job)).expect("a worker is there");
    }
}
