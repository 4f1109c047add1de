//! How a server on threads ends: rung 3, and the blocking version of rung 5.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, time::Duration};

use site::Site;

/// How long the connection that wakes `accept` may take.
const WAKE_TIME: Duration = Duration::from_millis(100);

// ANCHOR: stop
/// Whether the server is to stop.
#[derive(Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on Ctrl-C and SIGTERM stop the server, and it ends within five seconds.
    ///
    /// # Errors
    /// When the listener has no address, or the system takes no signal handler.
    pub fn on_signal(site: &Arc<Site>, listener: &TcpListener) -> io::Result<Stop> {
        let stop = Stop::default();
        let (site, told) = (Arc::clone(site), Arc::clone(&stop.0));
        let address = listener.local_addr()?;
        let tell = move || {
            told.store(true, Ordering::Relaxed);
            // `accept` is blocked and looks at no flag: wake it with a connection. That may fail.
            // If clients fill the backlog, one of them wakes it; if no descriptor is left, `accept`
            // fails as well, and the loop looks at the flag.
            let _ = TcpStream::connect_timeout(&address, WAKE_TIME);
        };
        ctrlc::set_handler(move || site.stop(&tell)).map_err(io::Error::other)?;
        Ok(stop)
    }

    /// What `accepted` gives, until the server is to stop. What wakes it then is dropped.
    pub fn until_told<T>(&self, accepted: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        accepted.take_while(move |_| !self.0.load(Ordering::Relaxed))
    }
}
// ANCHOR_END: stop
