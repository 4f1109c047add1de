//! How a server with tasks ends. Rungs 4 and 5 share this file, because it asks nothing of the
//! executor.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};
use std::{io, pin::pin};

use site::Site;

// ANCHOR: state
/// Whether the server is to stop, and how many connections are in flight.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    told: bool,
    in_flight: usize,
    /// The one task that waits for a change: `serve`.
    serve: Option<Waker>,
}

/// A connection in flight, until this is dropped.
pub struct InFlight(Stop);
// ANCHOR_END: state

// ANCHOR: stop
impl Stop {
    /// From now on Ctrl-C and SIGTERM stop the server, and it ends within five seconds.
    ///
    /// # Errors
    /// When the system takes no signal handler.
    pub fn on_signal(site: &Arc<Site>) -> io::Result<Stop> {
        let stop = Stop::default();
        let (site, told) = (Arc::clone(site), stop.clone());
        let tell = move || told.change(|state| state.told = true);
        ctrlc::set_handler(move || site.stop(&tell)).map_err(io::Error::other)?;
        Ok(stop)
    }

    /// What `future` gives, or `None` once the server is to stop. Then `future` is dropped.
    pub async fn until_told<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|context| {
            let mut state = self.lock();
            if state.told {
                return Poll::Ready(None);
            }
            state.serve = Some(context.waker().clone());
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
            state.serve = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
// ANCHOR_END: stop

// ANCHOR: change
impl Stop {
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        // Before it is told, `serve` waits for clients, and no count concerns it.
        let serve = if state.told { state.serve.take() } else { None };
        drop(state);
        serve.into_iter().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl Drop for InFlight {
    /// A task that ends, is cancelled or panics drops what it owns, so each is counted off.
    fn drop(&mut self) {
        self.0.change(|state| state.in_flight -= 1);
    }
}
// ANCHOR_END: change
