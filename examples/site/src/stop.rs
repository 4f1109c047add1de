//! The last five seconds of a server.

use std::{
    process, thread,
    time::{Duration, Instant},
};

use crate::{GRACE_TIME, Site};

/// Signals that come this close together are one wish: the program `timeout` sends its signal twice,
/// and a terminal that is closed may do so too.
const ONE_WISH: Duration = Duration::from_millis(100);

/// What a shell shows for a program that Ctrl-C has ended: 128 and the number of SIGINT.
const INTERRUPTED: i32 = 130;

// ANCHOR: stop
impl Site {
    /// Stops the server: `tell` lets its accept loop know, and requests in flight have five seconds.
    ///
    /// Call it for each signal, on a thread that no connection can hold up. If `main` comes to its
    /// end in time, the process is gone with the watchdog in it, and the exit status is 0.
    /// Otherwise the watchdog ends the process, cuts off the rest, and the exit status is 1.
    /// A second signal ends the process immediately, and the exit status is 130.
    pub fn stop(&self, tell: impl FnOnce()) {
        if let Some(first) = self.first_signal.get() {
            if first.elapsed() > ONE_WISH {
                process::exit(INTERRUPTED);
            }
            return;
        }
        let _ = self.first_signal.set(Instant::now());
        self.start_closing();
        // On a thread of its own, so that the caller can hear the next signal.
        let watchdog = thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
        tell();
        if watchdog.is_err() {
            // No thread is left. A second signal then has to wait, but the end comes all the same.
            watch();
        }
    }
}

/// The watchdog: it ends the process after five seconds, whatever the handlers do.
fn watch() {
    thread::sleep(GRACE_TIME);
    process::exit(1);
}
// ANCHOR_END: stop
