// Find out why a task sleeps forever.
//
// A `Bell` lets tasks wait until it rings, for instance so that all connections end when the
// server stops. With one task it works, but with several, some sleep forever.
//
// Your turn: find out whom the ring doesn't wake, and wake them all.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// Something that happens once, and that many wait for.
#[derive(Clone, Debug, Default)]
pub struct Bell(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    rung: bool,
    waker: Option<Waker>,
}

impl Bell {
    /// A bell that has not rung.
    pub fn new() -> Bell {
        Bell::default()
    }

    /// Rings: tasks that wait continue, and tasks that come later don't wait.
    pub fn ring(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap();
            state.rung = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the ring.
    pub async fn wait(&self) {
        poll_fn(|context| {
            let mut state = self.0.lock().unwrap();
            if state.rung {
                return Poll::Ready(());
            }
            state.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
