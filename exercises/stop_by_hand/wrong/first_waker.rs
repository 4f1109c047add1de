// Wrong: keeps the waker of the first poll, but a wait may be polled with another waker later.
// The check says: `tell` called an old waker, and not the new one

use std::collections::HashMap;
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
    /// How many waits have begun: each gets a number of its own.
    begun: u64,
    /// The wakers of those that wait in `until_told`, and of those in `all_done`, by the number of the wait.
    until_told: HashMap<u64, Waker>,
    until_done: HashMap<u64, Waker>,
}

/// A connection in flight, until this is dropped.
pub struct InFlight(Stop);

/// A wait. When it is dropped, its waker is taken out.
struct Wait<'a> {
    stop: &'a Stop,
    number: u64,
}

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
        let wait = self.wait();
        let mut future = pin!(future);
        poll_fn(|context| {
            let mut state = self.lock();
            if state.told {
                return Poll::Ready(None);
            }
            state.until_told.entry(wait.number).or_insert_with(|| context.waker().clone());
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
        let wait = self.wait();
        poll_fn(|context| {
            let mut state = self.lock();
            if state.in_flight == 0 {
                return Poll::Ready(());
            }
            state.until_done.entry(wait.number).or_insert_with(|| context.waker().clone());
            drop(state);
            Poll::Pending
        })
        .await
    }

    /// Begins a wait.
    fn wait(&self) -> Wait<'_> {
        let mut state = self.lock();
        state.begun += 1;
        Wait { stop: self, number: state.begun }
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
            if state.in_flight == 0 { mem::take(&mut state.until_done) } else { HashMap::new() };
        drop(state);
        wake(waiting);
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut state = self.stop.lock();
        let wakers = (state.until_told.remove(&self.number), state.until_done.remove(&self.number));
        drop(state);
        // Not under the lock: with its last waker a task is dropped, and its connection in flight.
        drop(wakers);
    }
}

/// Wakes tasks. Nobody holds the lock meanwhile: a waker may poll its task at once.
fn wake(waiting: HashMap<u64, Waker>) {
    for waker in waiting.into_values() {
        waker.wake();
    }
}
