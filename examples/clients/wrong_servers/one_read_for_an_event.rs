//! Wrong: an event loop reads once for each event of a client.
//!
//! It works as long as each request fits into the buffer. Of a longer one the rest lies in the
//! kernel, no event tells of it again, and client and server wait for each other. The question was
//! asked, and answered, in tokio-rs/mio#1085.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Reads once.
pub const FAULT: Fault = Fault {
    name: "one-read-for-an-event",
    what: "an event loop that reads once for each event",
    takes: &[],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { reads: 1, ..RIGHT })
}
