//! What to do when `accept` fails.

use std::{
    error::Error,
    io::{self, ErrorKind},
    iter,
    time::{Duration, Instant},
};

use crate::complain;

/// How long to leave the listener alone when the system has run out of something.
const BACK_OFF: Duration = Duration::from_millis(100);

/// When nothing has failed for this long, the system has recovered, and the next failure is news.
const RECOVERED: Duration = Duration::from_secs(1);

/// Judges the errors of one listener, so that no error stops a server.
#[derive(Debug, Default)]
pub struct AcceptErrors {
    last_failure: Option<Instant>,
}

impl AcceptErrors {
    /// A listener that has not failed yet.
    pub fn new() -> AcceptErrors {
        AcceptErrors::default()
    }

    /// How long to wait before the next `accept`.
    ///
    /// An error of one client's connection concerns no other client: no pause.
    /// Anything else (most often `EMFILE`: this process may open no more files
    /// and sockets) is said on standard error once each time it begins, and the
    /// pause lets connections end and give theirs back. Without it the loop would
    /// spin, because the client that could not be accepted is still waiting.
    #[must_use = "without the pause, the loop that accepts spins"]
    pub fn pause_after(&mut self, error: &io::Error) -> Duration {
        if is_of_one_connection(error) {
            return Duration::ZERO;
        }
        if self.begins_to_fail(Instant::now()) {
            complain(format_args!(
                "cannot accept a connection: {error}. Trying again every 100 ms."
            ));
        }
        BACK_OFF
    }

    fn begins_to_fail(&mut self, now: Instant) -> bool {
        let last = self.last_failure.replace(now);
        last.is_none_or(|last| now.duration_since(last) > RECOVERED)
    }
}

/// Whether only the connection failed that was to be accepted, but not the listener: its client gave up
/// in the backlog, or, on Linux, the network reported an error on it (accept(2), "Error handling").
fn is_of_one_connection(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
        || error.raw_os_error().is_some_and(is_of_the_network)
}

#[cfg(target_os = "linux")]
fn is_of_the_network(code: i32) -> bool {
    use nix::errno::Errno::{
        self, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENONET, ENOPROTOOPT, EOPNOTSUPP,
        EPROTO,
    };
    matches!(
        Errno::from_raw(code),
        ENETDOWN
            | EPROTO
            | ENOPROTOOPT
            | EHOSTDOWN
            | ENONET
            | EHOSTUNREACH
            | EOPNOTSUPP
            | ENETUNREACH
    )
}

#[cfg(not(target_os = "linux"))]
fn is_of_the_network(_code: i32) -> bool {
    false
}

/// Whether the process, or the whole system, may open no more files and sockets.
pub(crate) fn is_out_of_descriptors(error: &io::Error) -> bool {
    #[cfg(unix)]
    let codes = [nix::errno::Errno::EMFILE, nix::errno::Errno::ENFILE].map(|code| code as i32);
    // ERROR_TOO_MANY_OPEN_FILES and WSAEMFILE.
    #[cfg(not(unix))]
    let codes = [4, 10024];
    // async-std wraps the system's error into its own.
    iter::successors(Some(error as &(dyn Error + 'static)), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error())
        .any(|code| codes.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_said_once_each_time_it_begins() {
        let mut errors = AcceptErrors::new();
        let start = Instant::now();
        let mut said = |ms| errors.begins_to_fail(start + Duration::from_millis(ms));
        assert!(said(0), "the first");
        // It continues for longer than the time after which it would be over.
        assert!((1..=20).all(|times| !said(times * 100)));
        assert!(said(3100), "a second");
        assert!(!said(3200));
    }
}
