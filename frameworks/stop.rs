//! How the servers on frameworks end: as rung 6 does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, process, thread};

use site::GRACE_TIME;
use tokio_util::sync::CancellationToken;

// ANCHOR: stop
/// On Ctrl-C, SIGTERM or SIGHUP, cancels the token, and gives what is in flight five seconds, whatever the library
/// does. A second signal ends the process immediately.
pub fn stop_on_signal() -> io::Result<CancellationToken> {
    let closing = CancellationToken::new();
    let stopping = closing.clone();
    let told = AtomicBool::new(false);
    let handler = move || {
        let is_second = told.swap(true, Ordering::Relaxed);
        if is_second {
            // What a shell shows for a program that Ctrl-C has ended.
            process::exit(130);
        }
        // On a thread of its own, so that this one hears the next signal.
        let watchdog = thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
        stopping.cancel();
        if watchdog.is_err() {
            // No thread is left. A second signal then has to wait, but the end comes all the same.
            watch();
        }
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(closing)
}

/// If `main` gets to its end first, the process is gone before this sleep is over.
fn watch() {
    thread::sleep(GRACE_TIME);
    // Something is cut off, and the exit status says so.
    process::exit(1);
}
// ANCHOR_END: stop
