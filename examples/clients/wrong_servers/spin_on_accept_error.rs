//! Wrong: an event loop that can't accept a client tries again immediately.
//!
//! When no descriptor is left the client stays in the backlog, and the next attempt fails as the one
//! before. Open connections are served, and the processor is busy with nothing. A level-triggered listener
//! does so without any code for it, as in oven-sh/bun#32705 and vibe-d/eventcore#49.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::options::{Fault, Options};
use crate::readiness::{self, Habits, RIGHT};

/// Tries again immediately.
pub const FAULT: Fault = Fault {
    name: "spin-on-accept-error",
    what: "an event loop that tries again at once when it cannot accept a client",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    readiness::run(options, &site, Habits { pauses: false, ..RIGHT })
}
