//! Not wrong: `reuse-port` with one listener that all threads share, to compare the two.
//!
//! Source 003 did not measure it. All threads wait for the same queue, and a thread that is awake takes
//! the next connection: a busy thread takes none. For that, one connection may wake them all.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use site::Site;

use crate::event_loops;
use crate::options::{Fault, Options};

/// One listener for many event loops.
pub const FAULT: Fault = Fault {
    name: "one-listener",
    what: "the same threads with one listener for all, to compare with reuse-port",
    takes: &["--keep-alive", "--threads"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    // A clone is another descriptor for the same socket, and so for the same queue.
    let clones = (0..options.threads.get()).map(|_| listener.try_clone());
    let listeners = options.listening(clones.collect::<io::Result<Vec<TcpListener>>>());
    drop(listener);
    event_loops::run(options, &site, listeners, "an event loop each, one listener for all")
}
