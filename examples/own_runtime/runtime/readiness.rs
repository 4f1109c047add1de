//! Whether a socket is ready, and whom to wake when it is.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

// ANCHOR: readiness
/// One direction of one socket.
#[derive(Default)]
pub struct Readiness {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ready: bool,
    waker: Option<Waker>,
}

impl Readiness {
    /// The socket is ready: whom to wake.
    pub fn set(&self) -> Option<Waker> {
        let mut state = self.state.lock().expect("nothing panics under this lock");
        state.ready = true;
        state.waker.take()
    }

    /// Ready when the socket is; the next call waits for the next event.
    pub fn poll_take(&self, context: &mut Context) -> Poll<()> {
        let mut state = self.state.lock().expect("nothing panics under this lock");
        // Under one lock: an event comes before this line, and is seen, or after the waker is kept.
        if std::mem::take(&mut state.ready) {
            return Poll::Ready(());
        }
        // The latest waker: the task may have moved into another one since the last poll.
        match &mut state.waker {
            Some(waker) if waker.will_wake(context.waker()) => {}
            waker => *waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits until the socket is ready.
    pub async fn take(&self) {
        poll_fn(|context| self.poll_take(context)).await
    }
}
// ANCHOR_END: readiness
