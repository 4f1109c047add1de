//! A task: a future, and its place in the run queue.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::queue::Queue;

/// It waits: the next wake queues it.
const IDLE: u8 = 0;
/// It is in the queue, once. Further wakes change nothing.
const QUEUED: u8 = 1;
/// A thread polls it.
const RUNNING: u8 = 2;
/// A thread polls it, and somebody woke it meanwhile: it is polled again.
const NOTIFIED: u8 = 3;
/// It has ended.
const DONE: u8 = 4;

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

// ANCHOR: task
/// A future, and where it is. It is its own waker.
pub struct Task {
    place: AtomicU8,
    /// Never contended: only the thread that has made this task RUNNING takes the lock. A second one would panic.
    work: Mutex<Option<Work>>,
    queue: Arc<Queue<Arc<Task>>>,
}

impl Task {
    /// Queues a new task.
    pub fn spawn(work: impl Future<Output = ()> + Send + 'static, queue: &Arc<Queue<Arc<Task>>>) {
        let (place, queue) = (AtomicU8::new(QUEUED), Arc::clone(queue));
        let task = Task { place, work: Mutex::new(Some(Box::pin(work))), queue };
        let task = Arc::new(task);
        task.queue.push(Arc::clone(&task));
    }
}
// ANCHOR_END: task

// ANCHOR: wake
impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.wake_by_ref();
    }

    /// Puts the task into the queue, unless it is there. Each wake writes the place, even the same one: so a poll
    /// that begins after it sees what was done before it.
    fn wake_by_ref(self: &Arc<Task>) {
        let next = |place| match place {
            IDLE => Some(QUEUED),
            RUNNING => Some(NOTIFIED),
            // It will be polled anyway.
            QUEUED | NOTIFIED => Some(place),
            _ => None,
        };
        let before = self.place.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        if before == Ok(IDLE) {
            self.queue.push(Arc::clone(self));
        }
    }
}
// ANCHOR_END: wake

// ANCHOR: run
impl Task {
    /// Polls the task once.
    pub fn run(self: Arc<Task>) {
        self.place.swap(RUNNING, Ordering::AcqRel);
        let waker = Waker::from(Arc::clone(&self));
        let mut work = self.work.try_lock().expect("a task is polled by one thread at a time");
        let Some(future) = work.as_mut() else { return };
        let mut context = Context::from_waker(&waker);
        let poll = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
        if !matches!(poll, Ok(Poll::Pending)) {
            // It has ended, or has panicked. What it owned is dropped; a waker that somebody kept finds nothing to do.
            self.place.store(DONE, Ordering::Release);
            let ended = work.take();
            drop(work);
            let _ = catch_unwind(AssertUnwindSafe(|| drop(ended)));
            return;
        }
        drop(work);
        let place = &self.place;
        if place.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // Woken during the poll. Behind all others, so that nobody is starved.
            place.swap(QUEUED, Ordering::AcqRel);
            let queue = Arc::clone(&self.queue);
            queue.push(self);
        }
    }
}
// ANCHOR_END: run
