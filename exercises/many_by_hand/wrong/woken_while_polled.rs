// Wrong: counts a task as queued while it is polled, so a wake-up during the poll is lost.
// The check says: returned when 0 of 2 had ended

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future, and the way into the queue, which it takes once at a time.
struct Task {
    work: Mutex<Option<Work>>,
    is_queued: AtomicBool,
    queue: Sender<Arc<Task>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::SeqCst) {
            let _ = self.queue.send(Arc::clone(&self));
        }
    }
}

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(futures: Vec<Work>) {
    let (sender, queue) = mpsc::channel();
    for future in futures {
        let work = Mutex::new(Some(future));
        let task = Task { work, is_queued: AtomicBool::new(false), queue: sender.clone() };
        Arc::new(task).wake();
    }
    drop(sender);
    for task in queue {
        let waker = Waker::from(Arc::clone(&task));
        let mut work = task.work.lock().unwrap();
        let Some(future) = work.as_mut() else { continue };
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            *work = None;
        }
        drop(work);
        task.is_queued.store(false, Ordering::SeqCst);
    }
}
