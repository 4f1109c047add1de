//! How the event loop ends.

use std::{io, sync::Arc};

use mio::{Poll, Waker};
use site::Site;

use crate::clients::STOP;

// ANCHOR: stop
/// From now on Ctrl-C, SIGTERM and SIGHUP stop the server, and it ends within five seconds.
///
/// # Errors
/// When the system has no event to give, or takes no signal handler.
pub fn on_signal(site: &Arc<Site>, poll: &Poll) -> io::Result<()> {
    let site = Arc::clone(site);
    let waker = Waker::new(poll.registry(), STOP)?;
    let tell = move || {
        // The loop waits for an event: this is one.
        let _ = waker.wake();
    };
    ctrlc::set_handler(move || site.stop(&tell)).map_err(io::Error::other)
}
// ANCHOR_END: stop
