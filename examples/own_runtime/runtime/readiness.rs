//! Whether something is ready, and which task to wake when it is.

// ANCHOR: readiness
use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// One direction of one socket, or the end of a task.
#[derive(Default)]
pub struct Readiness(Mutex<State>);

#[derive(Default)]
struct State {
    ready: bool,
    /// Whether it will be ready from now on, because no further event will come.
    for_good: bool,
    waker: Option<Waker>,
}

impl Readiness {
    /// Notes that it is ready, and returns whom to wake.
    pub fn set(&self, for_good: bool) -> Option<Waker> {
        let mut state = self.0.lock().expect("nothing panics under this lock");
        state.ready = true;
        state.for_good |= for_good;
        state.waker.take()
    }

    /// Ready when it is; the next call waits for the next event.
    pub fn poll_take(&self, context: &mut Context) -> Poll<()> {
        let mut state = self.0.lock().expect("nothing panics under this lock");
        // Under one lock: an event comes before this and is seen, or after the waker is kept.
        if state.ready || state.for_good {
            state.ready = false;
            return Poll::Ready(());
        }
        // The latest waker: the future may have moved into another task since the last poll.
        let old = match &mut state.waker {
            Some(waker) if waker.will_wake(context.waker()) => None,
            waker => waker.replace(context.waker().clone()),
        };
        drop(state);
        // Without the lock, because the old waker may be the last that keeps a task.
        drop(old);
        Poll::Pending
    }

    /// Waits until it is ready.
    pub async fn take(&self) {
        poll_fn(|context| self.poll_take(context)).await
    }
}
// ANCHOR_END: readiness
