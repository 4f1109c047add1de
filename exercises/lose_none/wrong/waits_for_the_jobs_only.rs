// Wrong: waits for the jobs and not for the workers, which wait forever: each holds a sender.
// The check says: `drop` left

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    sender: Sender<Job>,
    threads: usize,
}

impl ThreadPool {
    /// Starts `threads` workers.
    pub fn new(threads: usize) -> ThreadPool {
        let (sender, receiver) = mpsc::channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            let own = sender.clone();
            thread::spawn(move || {
                while let Some(job) = next(&receiver) {
                    job();
                }
                drop(own);
            });
        }
        ThreadPool { sender, threads }
    }

    /// Queues a job.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // When each worker has come to this job, all that were queued before are done.
        let all = Arc::new(Barrier::new(self.threads + 1));
        for _ in 0..self.threads {
            let all = Arc::clone(&all);
            self.execute(move || drop(all.wait()));
        }
        all.wait();
    }
}

/// The next job; `None` when there will be no more. Nothing is wrong here.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
