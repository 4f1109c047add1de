//! How a server with tasks ends. Rung 4, its version on smol and rung 5 share this file, because it
//! asks nothing of the executor.

use std::{convert::Infallible, io, sync::Arc};

use async_channel::{Receiver, Sender, bounded};
use futures_lite::future;
use site::Site;

// ANCHOR: state
/// Whether the server is to stop, and whether connections are in flight. Each connection's task has
/// a clone.
///
/// Nothing is ever sent on its two channels: closing one is the message.
#[derive(Clone)]
pub struct Stop {
    /// Closed when the server is to stop.
    told: Receiver<Infallible>,
    /// The sending end of `done`, which is closed when the last clone has been dropped.
    in_flight: Sender<Infallible>,
    done: Receiver<Infallible>,
}
// ANCHOR_END: state

// ANCHOR: stop
impl Stop {
    /// From now on Ctrl-C, SIGTERM and SIGHUP stop the server, and it ends within five seconds.
    ///
    /// # Errors
    /// When the system takes no signal handler.
    pub fn on_signal(site: &Arc<Site>) -> io::Result<Stop> {
        let (tell, told) = bounded(1);
        let (in_flight, done) = bounded(1);
        let site = Arc::clone(site);
        let tell = move || {
            tell.close();
        };
        ctrlc::set_handler(move || site.stop(&tell)).map_err(io::Error::other)?;
        Ok(Stop { told, in_flight, done })
    }

    /// Returns the output of `future`. Once the server is to stop, drops it and returns `None`.
    pub async fn until_told<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let told = async {
            self.told().await;
            None
        };
        // The signal first: it isn't kept waiting by clients that never let the backlog become empty.
        future::or(told, async { Some(future.await) }).await
    }

    /// Returns what `read` returns. If the client is `idle`, fails once the server is to stop.
    pub async fn unless_idle<T>(
        &self,
        idle: bool,
        read: impl Future<Output = io::Result<T>>,
    ) -> io::Result<T> {
        if !idle {
            return read.await;
        }
        let stopped = async {
            self.told().await;
            Err(io::ErrorKind::ConnectionAborted.into())
        };
        // The client first: a request that has arrived is answered, also when the server stops.
        future::or(read, stopped).await
    }

    /// Waits until no other task has a clone of this any more.
    pub async fn all_done(self) {
        drop(self.in_flight);
        let _closed = self.done.recv().await;
    }

    /// Waits until the server is to stop.
    async fn told(&self) {
        let _closed = self.told.recv().await;
    }
}
// ANCHOR_END: stop
