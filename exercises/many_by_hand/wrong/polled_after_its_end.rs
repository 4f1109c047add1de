// Wrong: polls a task again that was in the queue when it ended.
// The check says: times that ended in its first poll

use std::pin::Pin;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future, and the way into the queue.
struct Task {
    work: Mutex<Work>,
    queue: Mutex<Option<Sender<Arc<Task>>>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if let Some(queue) = &*self.queue.lock().unwrap() {
            let _ = queue.send(Arc::clone(&self));
        }
    }
}

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(futures: Vec<Work>) {
    let (sender, queue) = mpsc::channel();
    for future in futures {
        let task = Task { work: Mutex::new(future), queue: Mutex::new(Some(sender.clone())) };
        Arc::new(task).wake();
    }
    drop(sender);
    for task in queue {
        let waker = Waker::from(Arc::clone(&task));
        let mut work = task.work.lock().unwrap();
        if work.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            // It is woken no more, but it may be in the queue already.
            *task.queue.lock().unwrap() = None;
        }
    }
}
