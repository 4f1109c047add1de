// Wrong: holds the lock of the queue while it polls, so a task that wakes itself waits for that lock forever.
// The check says: run_all with two futures that are woken while they are polled had not ended

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Wake, Waker};

/// A future on the heap, of whatever type.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Default)]
struct Queue {
    tasks: Mutex<VecDeque<Arc<Task>>>,
    pushed: Condvar,
    alive: AtomicUsize,
}

struct Task {
    work: Mutex<Option<Work>>,
    queue: Arc<Queue>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.queue.tasks.lock().unwrap().push_back(Arc::clone(&self));
        self.queue.pushed.notify_one();
    }
}

/// Runs all these futures on this thread, and returns when all of them have ended.
pub fn run_all(futures: Vec<Work>) {
    let queue = Arc::new(Queue::default());
    queue.alive.store(futures.len(), Ordering::SeqCst);
    for future in futures {
        Arc::new(Task { work: Mutex::new(Some(future)), queue: Arc::clone(&queue) }).wake();
    }
    let mut tasks = queue.tasks.lock().unwrap();
    while queue.alive.load(Ordering::SeqCst) > 0 {
        let Some(task) = tasks.pop_front() else {
            tasks = queue.pushed.wait(tasks).unwrap();
            continue;
        };
        let waker = Waker::from(Arc::clone(&task));
        let mut work = task.work.lock().unwrap();
        let Some(future) = work.as_mut() else { continue };
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            *work = None;
            queue.alive.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
