//! Wrong: an event loop stays with a client until there is nothing left to do for it.
//!
//! "Read until `WouldBlock`" says the manual, and of a client that sends faster than it is served
//! that never comes: all the others wait indefinitely. tokio-rs/mio#45 is the discussion.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Goes on as long as there is something to do.
pub const FAULT: Fault = Fault {
    name: "never-gives-way",
    what: "an event loop that stays with a client as long as there is something to do",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { steps: usize::MAX, ..RIGHT })
}
