//! How the servers on frameworks end: as rung 6 does.

use std::{io, process, thread};

use site::GRACE_TIME;
use tokio_util::sync::CancellationToken;

// ANCHOR: stop
/// On Ctrl-C or SIGTERM, cancels the token, and gives what is in flight five seconds, whatever the library does.
pub fn stop_on_signal() -> io::Result<CancellationToken> {
    let closing = CancellationToken::new();
    let stopping = closing.clone();
    let handler = move || {
        stopping.cancel();
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(closing)
}
// ANCHOR_END: stop
