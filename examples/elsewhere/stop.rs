//! How the servers on frameworks end: as rung 6 does.

use std::{io, sync::Arc};

use site::Site;
use tokio_util::sync::CancellationToken;

// ANCHOR: stop
/// On Ctrl-C, SIGTERM or SIGHUP, cancels the token, and gives what is in flight five seconds, whatever the library
/// does.
pub fn stop_on_signal(site: &Arc<Site>) -> io::Result<CancellationToken> {
    let closing = CancellationToken::new();
    let site = Arc::clone(site);
    let stopping = closing.clone();
    ctrlc::set_handler(move || site.stop(|| stopping.cancel())).map_err(io::Error::other)?;
    Ok(closing)
}
// ANCHOR_END: stop
