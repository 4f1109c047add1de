// Wrong: the guard in the head of the `while let` lives until its body ends, so each job runs under the lock.
// The check says: at most 1 jobs at the same time

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

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
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            thread::spawn(move || {
                while let Ok(job) = receiver.lock().unwrap().recv() {
                    job();
                }
            });
        }
        ThreadPool { sender }
    }

    /// Queues a job. Nothing is wrong here.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.send(Box::new(job)).expect("a worker is there");
    }
}

/// The next job; `None` when there will be no more. The lock is given back when this returns.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
