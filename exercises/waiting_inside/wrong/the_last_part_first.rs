// Wrong: makes the parts on its own worker, but from the last to the first.
// The check says: head body foot

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

/// The parts of a page, one after the other. Called by a job of the pool.
pub fn page(_pool: &ThreadPool, parts: &[Part]) -> String {
    // This runs on a worker, and a worker can make parts itself, so no worker waits for another.
    parts.iter().rev().map(|part| part()).collect()
}

/// Makes one part of a page. Nothing is wrong here, nor below.
pub type Part = fn() -> String;

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    sender: Sender<Job>,
}

impl ThreadPool {
    /// Starts `threads` workers.
    pub fn new(threads: usize) -> ThreadPool {
        let (sender, receiver) = mpsc::channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 1..=threads {
            let receiver = Arc::clone(&receiver);
            let worker = thread::Builder::new().name(format!("worker-{number}"));
            let work = move || {
                while let Some(job) = next(&receiver) {
                    job();
                }
            };
            worker.spawn(work).expect("the system has a thread");
        }
        ThreadPool { sender }
    }

    /// Queues a job.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.send(Box::new(job)).expect("a worker is there");
    }
}

/// The next job; `None` when there will be no more.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
