// Wrong: closes the queue but doesn't wait for the workers that empty it.
// The check says: of 20 jobs were done when `drop` returned

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    /// `None` once the pool is being dropped.
    sender: Option<Sender<Job>>,
    workers: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts `threads` workers.
    pub fn new(threads: usize) -> ThreadPool {
        let (sender, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let start = |_| {
            let receiver = Arc::clone(&receiver);
            thread::spawn(move || {
                while let Some(job) = next(&receiver) {
                    job();
                }
            })
        };
        ThreadPool { sender: Some(sender), workers: (0..threads).map(start).collect() }
    }

    /// Queues a job.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let sender = self.sender.as_ref().expect("only `drop` takes it away");
        sender.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // Without a sender the queue is closed: `recv` returns the queued jobs, and then an error.
        drop(self.sender.take());
    }
}

/// The next job; `None` when there will be no more. Nothing is wrong here.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
