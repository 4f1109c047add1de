//! How the server on our runtime ends.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use site::Site;

use crate::runtime::{self, until_closing};

// ANCHOR: stop
/// From now on Ctrl-C, SIGTERM and SIGHUP stop the server, and it ends within five seconds.
///
/// # Errors
/// When the system takes no signal handler.
pub fn on_signal(site: &Arc<Site>) -> io::Result<()> {
    let site = Arc::clone(site);
    // Wakes each task that waits for a client, so that it sees whether it may end.
    ctrlc::set_handler(move || site.stop(runtime::close)).map_err(io::Error::other)
}
// ANCHOR_END: stop

// ANCHOR: idle
/// Returns what `read` returns. Fails when its time is over, and when the server stops while its
/// client is `idle`.
pub async fn until_told_if<T>(
    idle: bool,
    read: impl Future<Output = io::Result<io::Result<T>>>,
) -> io::Result<T> {
    // The server waits for no client that asked for nothing.
    let told = || Err(ErrorKind::ConnectionAborted.into());
    if idle { until_closing(read).await.unwrap_or_else(told)? } else { read.await? }
}
// ANCHOR_END: idle
