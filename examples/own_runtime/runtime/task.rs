//! A task: a future, and its place in the run queue.

// ANCHOR: places
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

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
        let (place, ended) = (AtomicU8::new(WOKEN), Readiness::default());
        let (work, queue) = (Mutex::new(Box::pin(work) as _), Arc::clone(queue));
        let task = Arc::new(Task { place, work, queue, ended });
        task.queue.push(Arc::clone(&task), true);
        task
    }
}
// ANCHOR_END: task

// ANCHOR: wake
impl Wake for Task {
    /// Puts the task into the queue, if it is idle. Each wake writes the place, even the same
    /// one: so a poll that begins after it sees what was done before it.
    fn wake(self: Arc<Task>) {
        if self.place.fetch_or(WOKEN, SeqCst) == IDLE {
            self.queue.push(Arc::clone(&self), false);
        }
    }
}
// ANCHOR_END: wake

// ANCHOR: run
impl Task {
    /// Polls the task once.
    pub fn run(self: Arc<Task>) {
        self.place.swap(RUNNING, SeqCst);
        let waker = Waker::from(Arc::clone(&self));
        let mut work = self.work.try_lock().expect("a task is polled by one thread at a time");
        let poll = AssertUnwindSafe(|| work.as_mut().poll(&mut Context::from_waker(&waker)));
        if !catch_unwind(poll).is_ok_and(|poll| poll.is_pending()) {
            // It has ended, or has panicked. What it owned is dropped now, although a waker may
            // still keep the task.
            let _ = catch_unwind(AssertUnwindSafe(|| *work = Box::pin(async {})));
            self.ended.set(true).into_iter().for_each(Waker::wake);
            return self.queue.ended();
        }
        drop(work);
        if self.place.fetch_and(!RUNNING, SeqCst) != RUNNING {
            // Woken during the poll, so it is queued now. It goes behind all the others, so that
            // none is starved.
            self.queue.push(Arc::clone(&self), false);
        }
    }
}
// ANCHOR_END: run
