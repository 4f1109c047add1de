// Write the stop of a server with wakers.
//
// `until_told` gives up on a future once the server is to stop, and `all_done` waits until no
// connection is in flight. Both look when they are polled, but nobody wakes whoever waits.
//
// Your turn, four things:
// - A task that waits leaves its waker in `State`. Several tasks may wait at the same time, and each is
//   woken by the waker of its last poll, and by no older one.
// - `tell` wakes those that wait in `until_told`, and the last `InFlight` that is dropped wakes those
//   that wait in `all_done`. No lock is held meanwhile, because a waker may poll at once.
// - No news may be missed, however closely it follows a look. (In `all_done` nobody checks this.)
// - A wait that ends takes its waker out, whatever ends it. A server has millions of waits in its life.

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
        self.lock().told = true;
    }

    /// What `future` gives, or `None` once the server is to stop. Then `future` is dropped.
    pub async fn until_told<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|context| {
            if self.lock().told {
                return Poll::Ready(None);
            }
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
        poll_fn(|_context| if self.lock().in_flight == 0 { Poll::Ready(()) } else { Poll::Pending })
            .await
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.lock().in_flight -= 1;
    }
}
