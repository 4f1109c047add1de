// Shut the pool down without losing one.
//
// When the pool is dropped, some jobs wait in its queue and some are running. A client waits for each,
// but `drop` does nothing, so the process ends without them.
//
// Your turn: let `drop` return when every queued job is done. Tell the workers that no more will come,
// and wait for each of them. (Here no job panics: a worker that survives that is another exercise.)

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Something to do, once.
type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads that run jobs.
pub struct ThreadPool {
    sender: Sender<Job>,
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
        ThreadPool { sender, workers: (0..threads).map(start).collect() }
    }

    /// Queues a job.
    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.send(Box::new(job)).expect("a worker is there");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {}
}

/// The next job; `None` when there will be no more. Nothing is wrong here.
fn next(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().expect("no job runs under this lock").recv().ok()
}
