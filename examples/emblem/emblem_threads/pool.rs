//! The pool of chapter 3: a fixed number of threads, a queue with a bound, and workers that survive a panic.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::{mem, thread};

/// Something to do, once, on whichever worker is free.
type Job = Box<dyn FnOnce() + Send + 'static>;

pub struct ThreadPool {
    queue: SyncSender<Job>,
}

impl ThreadPool {
    pub fn new(threads: usize, slots: usize) -> ThreadPool {
        let (queue, jobs) = mpsc::sync_channel(slots);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            thread::spawn(move || work(&jobs));
        }
        ThreadPool { queue }
    }

    /// Waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.queue.send(Box::new(job)).expect("the workers listen");
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        // Waits here while there is no job. The lock is given back at the end of the statement.
        let job = jobs.lock().expect("no job runs under it").recv().expect("main never ends");
        // A job that panics has failed its own client. The worker lives on for the others.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
    }
}
