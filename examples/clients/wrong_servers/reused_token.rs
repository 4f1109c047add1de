//! Wrong: an event loop gives the token of a client that has gone to the next client.
//!
//! The system forgets a socket that is closed, but the loop has its own notes. A client that has
//! gone leaves its timer behind, which now ends the sleep of another. It leaves an event behind too, if
//! its time is over in the iteration of the loop that takes its event: nginx's source calls that a
//! *stale event*, and numbers its connections against it. The same happens with an index into a table, or
//! with the descriptor itself, which the system gives away again immediately. The trouble that comes of
//! reused tokens is the subject of tokio-rs/mio#172.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Gives tokens away again.
pub const FAULT: Fault = Fault {
    name: "reused-token",
    what: "an event loop that gives the token of a client that has gone to the next",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { reuses_tokens: true, ..RIGHT })
}
