// Wrong: keeps all wakers, and wakes one of them.
// The check says: the ring woke 1 of 5 tasks that waited

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// Something that happens once, and that many wait for.
#[derive(Clone, Debug, Default)]
pub struct Bell(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    rung: bool,
    /// Those who wait: one for each task.
    wakers: Vec<Waker>,
}

impl Bell {
    /// A bell that has not rung.
    pub fn new() -> Bell {
        Bell::default()
    }

    /// Rings: tasks that wait continue, and tasks that come later don't wait.
    pub fn ring(&self) {
        let waker = {
            let mut state = self.0.lock().expect("nothing panics under this lock");
            state.rung = true;
            state.wakers.pop()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the ring.
    pub async fn wait(&self) {
        poll_fn(|context| {
            let mut state = self.0.lock().expect("nothing panics under this lock");
            if state.rung {
                return Poll::Ready(());
            }
            // A task that looks again has the same waker, so it is in the list already.
            if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                state.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}
