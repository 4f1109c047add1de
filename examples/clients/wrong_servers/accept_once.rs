//! Wrong: an event loop accepts one client for each event of its listener.
//!
//! It works as long as clients come one after the other, but the system tells only once that there
//! are some: of three that came while the loop was busy, two wait until others come. A server on mio
//! that had it is in tokio-rs/mio#845; it is under an innocent title in tokio-rs/mio#172 as well.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Accepts once.
pub const FAULT: Fault = Fault {
    name: "accept-once",
    what: "an event loop that accepts one client for each event",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { accepts: 1, ..RIGHT })
}
