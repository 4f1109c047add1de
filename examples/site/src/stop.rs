//! The last five seconds of a server.

use std::{process, thread};

use crate::{GRACE_TIME, Site};

// ANCHOR: stop
impl Site {
    /// Stops the server: `tell` lets its accept loop know, and requests in flight have five seconds.
    ///
    /// Call it when the signal comes, on a thread that no connection can hold up. If `main` comes
    /// to its end in time, the process is gone with this thread in it, and the exit status is 0.
    /// Otherwise this ends the process, cuts off the rest, and the exit status is 1.
    pub fn stop(&self, tell: impl FnOnce()) -> ! {
        self.start_closing();
        tell();
        thread::sleep(GRACE_TIME);
        process::exit(1)
    }
}
// ANCHOR_END: stop
