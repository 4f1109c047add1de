//! How rung 6 ends, with what tokio-util brings for it.

use std::{io, sync::Arc};

use site::Site;
use tokio::{select, time::error::Elapsed};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

// ANCHOR: stop
/// Whether the server is to stop, and which connections are in flight.
#[derive(Clone, Default)]
pub struct Stop {
    told: CancellationToken,
    connections: TaskTracker,
}

impl Stop {
    /// From now on Ctrl-C and SIGTERM stop the server, and it ends within five seconds.
    ///
    /// # Errors
    /// When the system takes no signal handler.
    pub fn on_signal(site: &Arc<Site>) -> io::Result<Stop> {
        let stop = Stop::default();
        let (site, told) = (Arc::clone(site), stop.told.clone());
        // The runtime also has signals and timers, but its workers look at them between two polls,
        // and a poll that computes can keep every worker.
        ctrlc::set_handler(move || site.stop(|| told.cancel())).map_err(io::Error::other)?;
        Ok(stop)
    }

    /// What `future` gives, or `None` once the server is to stop. Then `future` is dropped.
    pub async fn until_told<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        self.told.run_until_cancelled(future).await
    }

    /// Counts one more connection in flight, until what this returns is dropped.
    pub fn in_flight(&self) -> TaskTrackerToken {
        self.connections.token()
    }

    /// Waits until no connection is in flight.
    pub async fn all_done(&self) {
        // From here on `wait` returns as soon as none is left.
        self.connections.close();
        self.connections.wait().await;
    }
}
// ANCHOR_END: stop

// ANCHOR: idle
impl Stop {
    /// New: what `read` gives. It fails when its time is over, and when the server stops while its
    /// client is `idle`.
    pub async fn until_told_if<T>(
        &self,
        idle: bool,
        read: impl Future<Output = Result<io::Result<T>, Elapsed>>,
    ) -> io::Result<T> {
        select! {
            // The client first: a request that has arrived is answered, also when the server stops.
            biased;
            read = read => read?,
            () = self.told.cancelled(), if idle => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}
// ANCHOR_END: idle
