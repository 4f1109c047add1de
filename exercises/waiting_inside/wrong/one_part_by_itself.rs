// Wrong: the worker makes one part itself, but still waits for others to make the rest.
// The check says: and every worker waits

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

/// The parts of a page, one after the other. Called by a job of the pool.
pub fn page(pool: &ThreadPool, parts: &[Part]) -> String {
    let mut made = Vec::new();
    let (first, rest) = parts.split_first().expect("a page has a part");
    for &part in rest {
        let (sender, receiver) = mpsc::channel();
        pool.execute(move || {
            let _ = sender.send(part());
        });
        made.push(receiver);
    }
    let rest = made.iter().map(|part| part.recv().expect("a part is made"));
    std::iter::once(first()).chain(rest).collect()
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
