//! Wrong: an event loop leaves a client that has had its share, and waits for the client's next event.
//!
//! The share is right: a client that always has more to say would keep the thread. But what it has said
//! already lies in the kernel or in the connection's buffer, and the system has reported it. No other
//! event comes, and client and server wait for each other. tokio-rs/mio#45 begins with it.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Waits for an event where there is something to do.
pub const FAULT: Fault = Fault {
    name: "never-comes-back",
    what: "an event loop that forgets a client after its share, until its next event",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { comes_back: false, ..RIGHT })
}
