//! What tasks wait for that is no socket and no time.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::runtime::race;

/// Raised once, seen by all who wait for it.
#[derive(Default)]
pub struct Flag(Mutex<State>);

#[derive(Default)]
struct State {
    is_raised: bool,
    next: u64,
    waiting: BTreeMap<u64, Waker>,
}

impl Flag {
    /// Raises the flag, and wakes whoever waits for it.
    pub fn raise(&self) {
        let mut state = self.lock();
        state.is_raised = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_values().for_each(Waker::wake);
    }

    /// Waits until it is raised.
    pub fn raised(&self) -> Raised<'_> {
        Raised { flag: self, number: None }
    }

    /// The output of `future`; `None` if the flag is raised before, and `stops` is set. The future is asked first.
    pub async fn until<T>(&self, stops: bool, future: impl Future<Output = T>) -> Option<T> {
        let raised = async {
            match stops {
                true => self.raised().await,
                false => pending().await,
            }
            None
        };
        race(async { Some(future.await) }, raised).await
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

/// The wait for a flag.
pub struct Raised<'flag> {
    flag: &'flag Flag,
    number: Option<u64>,
}

impl Future for Raised<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        let mut state = self.flag.lock();
        if state.is_raised {
            return Poll::Ready(());
        }
        state.next += 1;
        let number = self.number.unwrap_or(state.next);
        state.waiting.insert(number, context.waker().clone());
        drop(state);
        self.number = Some(number);
        Poll::Pending
    }
}

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.flag.lock().waiting.remove(&number);
        }
    }
}

/// What each task in flight holds. When the last one is dropped, the flag is raised.
pub struct InFlight(pub Arc<Flag>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.raise();
    }
}
