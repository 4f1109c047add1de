// Wrong: keeps the first waker only, but several tasks wait, and each may be polled with another waker later.
// The check says: 1 of 5 tasks that wait were woken by `tell`

use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

/// Whether the server is to stop, and how many connections are in flight.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    told: bool,
    in_flight: usize,
    /// The tasks that wait in `until_told`, and those in `all_done`.
    until_told: Vec<Waker>,
    until_done: Vec<Waker>,
}

/// A connection in flight, until this is dropped.
pub struct InFlight(Stop);

impl Stop {
    /// Nobody has told it to stop, and nothing is in flight.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Tells the server to stop.
    pub fn tell(&self) {
        let mut state = self.lock();
        state.told = true;
        let waiting = mem::take(&mut state.until_told);
        drop(state);
        wake(waiting);
    }

    /// What `future` gives, or `None` once the server is to stop. Then `future` is dropped.
    pub async fn until_told<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|context| {
            let mut state = self.lock();
            if state.told {
                return Poll::Ready(None);
            }
            leave(&mut state.until_told, context.waker());
            // The future may be what tells the server to stop.
            drop(state);
            future.as_mut().poll(context).map(Some)
        })
        .await
    }

    /// Counts one more connection in flight.
    pub fn in_flight(&self) -> InFlight {
        self.lock().in_flight += 1;
        InFlight(self.clone())
    }

    /// Waits until no connection is in flight.
    pub async fn all_done(&self) {
        poll_fn(|context| {
            let mut state = self.lock();
            if state.in_flight == 0 {
                return Poll::Ready(());
            }
            leave(&mut state.until_done, context.waker());
            Poll::Pending
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.in_flight -= 1;
        let waiting =
            if state.in_flight == 0 { mem::take(&mut state.until_done) } else { Vec::new() };
        drop(state);
        wake(waiting);
    }
}

/// Leaves a waker, unless there is one.
fn leave(waiting: &mut Vec<Waker>, waker: &Waker) {
    if waiting.is_empty() {
        waiting.push(waker.clone());
    }
}

/// Wakes tasks. Nobody holds the lock meanwhile: a waker may poll its task at once.
fn wake(waiting: Vec<Waker>) {
    for waker in waiting {
        waker.wake();
    }
}
