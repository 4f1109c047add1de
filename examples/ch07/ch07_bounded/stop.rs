//! Stops rung 7 on a signal.

use std::{io, sync::Arc};

use site::Site;
use tokio_util::sync::CancellationToken;

// ANCHOR: stop
/// From now on Ctrl-C, SIGTERM and SIGHUP cancel this token, and the server ends within five seconds.
///
/// # Errors
/// When the system takes no signal handler.
pub fn on_signal(site: &Arc<Site>) -> io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let site = Arc::clone(site);
    let told = stop.clone();
    // The runtime also has signals and timers, but its workers look at them between two polls,
    // and a poll that computes can keep every worker.
    ctrlc::set_handler(move || site.stop(|| told.cancel())).map_err(io::Error::other)?;
    Ok(stop)
}
// ANCHOR_END: stop
