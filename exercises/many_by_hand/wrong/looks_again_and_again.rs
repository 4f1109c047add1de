// Wrong: looks into the queue again and again, so a CPU is busy while all tasks wait.
// The check says: of 100 looks found a thread busy while its one future waits

use std::pin::Pin;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future, and the way into the queue.
struct Task {
    /// `None` when it has ended.
    work: Mutex<Option<Work>>,
    queue: Sender<Arc<Task>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let _ = self.queue.send(Arc::clone(&self));
    }
}

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(futures: Vec<Work>) {
    let (sender, queue) = mpsc::channel();
    let mut alive = futures.len();
    for future in futures {
        let task = Task { work: Mutex::new(Some(future)), queue: sender.clone() };
        // Its first poll.
        Arc::new(task).wake();
    }
    while alive > 0 {
        let Ok(task): Result<Arc<Task>, _> = queue.try_recv() else {
            thread::yield_now();
            continue;
        };
        let waker = Waker::from(Arc::clone(&task));
        let mut work = task.work.lock().unwrap();
        // It may have been woken once more than it needed.
        let Some(future) = work.as_mut() else { continue };
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            *work = None;
            alive -= 1;
        }
    }
}
