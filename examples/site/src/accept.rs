//! What to do when `accept` fails.

use std::{
    io::{self, ErrorKind},
    time::Duration,
};

/// How long to leave the listener alone when the system has run out of something.
const BACK_OFF: Duration = Duration::from_millis(100);

/// Judges the errors of one listener, so that no error stops a server.
#[derive(Debug, Default)]
pub struct AcceptErrors {
    said: bool,
}

impl AcceptErrors {
    /// A listener that has not failed yet.
    pub fn new() -> AcceptErrors {
        AcceptErrors::default()
    }

    /// How long to wait before the next `accept`.
    ///
    /// A client that gave up while it stood in the backlog concerns nobody: no
    /// pause. Anything else (most often `EMFILE`: this process may open no more
    /// files and sockets) is said once on standard error, and the pause lets
    /// connections end and give theirs back. Without it the loop would spin,
    /// because the client that could not be accepted is still waiting.
    pub fn pause_after(&mut self, error: &io::Error) -> Duration {
        use ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
            return Duration::ZERO;
        }
        if !self.said {
            self.said = true;
            eprintln!("cannot accept a connection: {error}. Trying again every 100 ms.");
        }
        BACK_OFF
    }
}
