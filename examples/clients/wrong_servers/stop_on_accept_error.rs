//! Wrong: an error of `accept` ends the server.
//!
//! Source 002 has it: `unwrap` in the accept loop of its Tokio server, `log.Fatal` in its Go server
//! on plain TCP. `accept` fails when the process may open no more files and sockets (`EMFILE`), as
//! with 2,000 connections under the usual limit of 1,024. No client is served after that. A generator
//! that counts refused connections as requests, as drill does, calls the server fast.

use std::io;
use std::sync::Arc;

use site::Site;

use crate::none;
use crate::options::{Fault, Options};

/// Ends when it can't accept a client.
pub const FAULT: Fault = Fault {
    name: "stop-on-accept-error",
    what: "the first connection that cannot be accepted ends the server",
    takes: &["--keep-alive"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listener = options.listen();
    options.announce(listener.local_addr()?, none::THREADS);
    for stream in listener.incoming() {
        // Wrong: this panics on the main thread, and the process ends with status 101.
        let stream = stream.expect("accept cannot fail");
        none::spawn(stream, Arc::clone(&site), none::correct);
    }
    Ok(())
}
