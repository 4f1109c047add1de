// Wrong: wakes all who wait but doesn't note the ring, so whoever looks afterwards waits for another.
// The check says: the bell to let every task through once it has rung

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
        let wakers = {
            let mut state = self.0.lock().expect("nothing panics under this lock");
            std::mem::take(&mut state.wakers)
        };
        for waker in wakers {
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
