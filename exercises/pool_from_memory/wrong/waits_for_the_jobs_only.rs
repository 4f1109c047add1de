// Wrong: `drop` waits for the jobs and not for the workers, which wait forever: each holds the pool's sender.
// The check says: `drop` left

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    queue: SyncSender<Job>,
    unfinished: Arc<Unfinished>,
}

/// How many jobs are queued or run.
#[derive(Default)]
struct Unfinished {
    jobs: Mutex<usize>,
    changed: Condvar,
}

impl ThreadPool {
    /// Starts `threads` workers. At most `waiting` jobs are in the queue.
    pub fn new(threads: usize, waiting: usize) -> ThreadPool {
        let (queue, jobs) = mpsc::sync_channel(waiting);
        let jobs = Arc::new(Mutex::new(jobs));
        let unfinished = Arc::new(Unfinished::default());
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            let unfinished = Arc::clone(&unfinished);
            let queue: SyncSender<Job> = queue.clone();
            thread::spawn(move || {
                work(&jobs, &unfinished);
                drop(queue);
            });
        }
        ThreadPool { queue, unfinished }
    }

    /// Queues a job; waits while the queue is full.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        *self.unfinished.jobs.lock().unwrap() += 1;
        self.queue.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        let mut jobs = self.unfinished.jobs.lock().unwrap();
        while *jobs > 0 {
            jobs = self.unfinished.changed.wait(jobs).unwrap();
        }
    }
}

/// Runs the jobs, until the queue is closed and empty.
fn work(jobs: &Mutex<Receiver<Job>>, unfinished: &Unfinished) {
    loop {
        // The lock is given back at the end of the statement, before the job runs.
        let next = jobs.lock().expect("no job runs under this lock").recv();
        let Ok(job) = next else { return };
        // The panic has been printed, and the job is gone.
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(job)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
        *unfinished.jobs.lock().unwrap() -= 1;
        unfinished.changed.notify_all();
    }
}
