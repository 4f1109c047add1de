//! Different: several threads, each with its own event loop and its own listener on the same port.
//!
//! Source 003 has it. The option `SO_REUSEPORT` lets several sockets listen on one port, and Linux
//! chooses one for each new connection by a hash of its addresses and ports. That isn't a mistake; to
//! read it as even shares is wrong where the connections are few and kept: one thread may get most
//! of them while another is idle, and a connection never moves. The counts are printed at the end.
//! macOS has the option too, and promises nothing about the shares.

use std::io;
use std::sync::Arc;

use site::{Site, listen_each};

use crate::event_loops;
use crate::options::{Fault, Options};

/// Many listeners on one port.
pub const FAULT: Fault = Fault {
    name: "reuse-port",
    what: "threads with an event loop and a listener each, all on one port",
    takes: &["--keep-alive", "--threads"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listeners = options.listening(listen_each(options.address(), options.threads.get()));
    event_loops::run(options, &site, listeners, "an event loop and a listener each")
}
