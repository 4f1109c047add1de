//! An executor of many tasks: one thread and one queue.

use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

/// A future on the heap, of whatever type.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future, and the way into the queue.
struct Task {
    /// `None` when it has ended.
    work: Mutex<Option<Work>>,
    queue: Sender<Arc<Task>>,
}

impl Wake for Task {
    /// Puts the task into the queue.
    fn wake(self: Arc<Self>) {
        // It fails only when `run` is over.
        let _ = self.queue.send(Arc::clone(&self));
    }
}

/// The queue, and how many tasks have not ended.
pub struct Executor {
    queue: Receiver<Arc<Task>>,
    /// Each task has a clone.
    sender: Sender<Arc<Task>>,
    alive: usize,
}

impl Executor {
    /// Makes an executor without tasks.
    pub fn new() -> Executor {
        let (sender, queue) = mpsc::channel();
        Executor { queue, sender, alive: 0 }
    }

    /// Makes a task of this future, and puts it into the queue for its first poll.
    pub fn spawn(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        let work: Work = Box::pin(future);
        let task = Task { work: Mutex::new(Some(work)), queue: self.sender.clone() };
        Arc::new(task).wake();
        self.alive += 1;
    }

    /// Polls each task that comes out of the queue, until all have ended, and counts the polls.
    pub fn run(mut self) -> u64 {
        let mut polls = 0;
        while self.alive > 0 {
            // Sleeps while the queue is empty.
            let task = self.queue.recv().expect("the executor has a sender itself");
            let waker = Waker::from(Arc::clone(&task));
            let mut work = task.work.lock().expect("no poll has panicked");
            // A task that was woken once more than it needed has ended by now.
            let Some(future) = work.as_mut() else { continue };
            polls += 1;
            if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                *work = None;
                self.alive -= 1;
            }
        }
        polls
    }
}
