// Let workers share a receiver.
//
// A pool has a fixed number of threads, its workers, and a channel of jobs. A `Receiver` has one owner,
// so this pool has one worker, however many you ask for.
//
// Your turn: let `threads` workers take jobs from the one receiver. They must run their jobs at the
// same time, so no worker may hold a lock while it runs a job.

use std::sync::mpsc::{self, Sender};
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
        thread::spawn(move || {
            for job in receiver {
                job();
            }
        });
        ThreadPool { sender }
    }

    /// Queues a job. Nothing is wrong here.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.send(Box::new(job)).expect("a worker is there");
    }
}
