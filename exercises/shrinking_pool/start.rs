// Find out why the pool shrinks.
//
// The pool works, but it gets slower from day to day. One day it answers nobody.
//
// Your turn: find out what happens to the workers, and let no job do that to them.

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
        for number in 1..=threads {
            let receiver = Arc::clone(&receiver);
            let worker = thread::Builder::new().name(format!("worker-{number}"));
            worker.spawn(move || work(&receiver)).expect("the system has a thread");
        }
        ThreadPool { sender }
    }

    /// Queues a job. There is no error if no worker is left to run it.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.sender.send(Box::new(job));
    }
}

/// What a worker does all its life: take a job, run it, take the next.
fn work(receiver: &Mutex<Receiver<Job>>) {
    while let Some(job) = next(receiver) {
        job();
    }
}

/// The next job; `None` when there will be no more. The lock is given back when this returns.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
