//! How the server on our runtime ends.

use std::{io, sync::Arc};

use site::Site;

use crate::runtime;

// ANCHOR: stop
/// From now on Ctrl-C and SIGTERM stop the server, and it ends within five seconds.
///
/// # Errors
/// When the system takes no signal handler.
pub fn on_signal(site: &Arc<Site>) -> io::Result<()> {
    let site = Arc::clone(site);
    // Each task that waits for a client looks whether it may go.
    ctrlc::set_handler(move || site.stop(runtime::close)).map_err(io::Error::other)
}
// ANCHOR_END: stop
