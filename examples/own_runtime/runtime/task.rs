//! A task: a future, and its place in the run queue.

// ANCHOR: places
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{
    AtomicU8,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::readiness::Readiness;
use crate::queue::Queue;

/// Idle: the task waits, and the next wake queues it.
const IDLE: u8 = 0;
/// With this bit alone it is queued, once: further wakes change nothing.
const WOKEN: u8 = 1;
/// A thread polls it, or it has ended. With the other bit it is notified: when the poll is
/// over, it is queued.
const RUNNING: u8 = 2;

type Tasks = Arc<Queue<Arc<Task>>>;
// ANCHOR_END: places

// ANCHOR: task
/// A future, and where it is. It is its own waker.
pub struct Task {
    place: AtomicU8,
    /// Never contended: only the thread that has made this task RUNNING takes the lock. A
    /// second thread would panic.
    work: Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>,
    queue: Tasks,
    /// Whom to wake when the task has ended, in whichever way.
    pub ended: Readiness,
}

impl Task {
    /// Queues a new task.
    pub fn spawn(work: impl Future<Output = ()> + Send + 'static, queue: &Tasks) -> Arc<Task> {
        let task = Arc::new(Task {
            place: AtomicU8::new(WOKEN),
            work: Mutex::new(Box::pin(work)),
            queue: Arc::clone(queue),
            ended: Readiness::default(),
        });
        task.queue.push(Arc::clone(&task), true);
        task
    }
}
// ANCHOR_END: task

// ANCHOR: wake
impl Wake for Task {
    /// Puts the task into the queue, if it is idle. Each wake writes the place, even the same
    /// one: so a poll that begins after it sees what was done before it. That is what `Release`
    /// says here, and `Acquire` where the poll begins.
    fn wake(self: Arc<Task>) {
        if self.place.fetch_or(WOKEN, Release) == IDLE {
            self.queue.push(Arc::clone(&self), false);
        }
    }
}
// ANCHOR_END: wake

// ANCHOR: run
impl Task {
    /// Polls the task once.
    pub fn run(self: Arc<Task>) {
        self.place.swap(RUNNING, Acquire);
        let waker = Waker::from(Arc::clone(&self));
        let mut work = self.work.try_lock().expect("a task is polled by one thread at a time");
        let poll = caught(|| work.as_mut().poll(&mut Context::from_waker(&waker)));
        if poll != Some(Poll::Pending) {
            // It has ended, or has panicked. What it owned is dropped now, although a waker may
            // still keep the task.
            caught(|| *work = Box::pin(async {}));
            if let Some(waker) = self.ended.set(true) {
                waker.wake();
            }
            return self.queue.ended();
        }
        drop(work);
        // Release: the next poll, perhaps by another thread, finds the lock given back, and what this one has left.
        if self.place.fetch_and(!RUNNING, Release) != RUNNING {
            // Woken during the poll, so it is queued now. It goes behind all the others, so that
            // none is starved.
            self.queue.push(Arc::clone(&self), false);
        }
    }
}

/// Returns what `call` returns; `None` if it panics. The payload is forgotten, because dropping it
/// could panic again.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(output) => Some(output),
        Err(payload) => {
            mem::forget(payload);
            None
        }
    }
}
// ANCHOR_END: run
