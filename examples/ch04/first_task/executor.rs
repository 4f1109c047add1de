//! An executor of many tasks: one thread and one queue.

use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

/// A future on the heap, of whatever type.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future, and the way into the queue.
pub struct Task {
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

/// Makes a task of this future, and puts it into the queue for its first poll.
pub fn spawn(queue: &Sender<Arc<Task>>, future: impl Future<Output = ()> + Send + 'static) {
    let work: Work = Box::pin(future);
    let task = Task { work: Mutex::new(Some(work)), queue: queue.clone() };
    Arc::new(task).wake();
}

/// Polls each task that comes out of the queue, until no task is left, and counts the polls.
pub fn run(queue: Receiver<Arc<Task>>) -> u64 {
    let mut polls = 0;
    // Sleeps while the queue is empty. Only tasks have a sender, and a waker has its task, so the loop ends when the
    // last of both is gone.
    for task in queue {
        let waker = Waker::from(Arc::clone(&task));
        let mut work = task.work.lock().expect("no poll has panicked");
        // A task that was woken once more than it needed has ended by now.
        let Some(future) = work.as_mut() else { continue };
        polls += 1;
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            *work = None;
        }
    }
    polls
}
