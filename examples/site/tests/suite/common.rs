//! What several of these tests share.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use site::{Connection, DRAIN_TIME, Site, Step, compute};

/// A request for `/`.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// A site that closes each connection after its answer.
pub fn close_mode() -> Arc<Site> {
    Site::with_keep_alive(false)
}

/// A site that keeps connections.
pub fn keep_alive_mode() -> Arc<Site> {
    Site::with_keep_alive(true)
}

/// A request for this target.
pub fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes()
}

/// All that a client gets which sends `input` and then no more.
pub fn said(site: &Site, input: &[u8]) -> Vec<Step> {
    talk(Connection::new(site), [input], End::Eof)
}

/// Asserts that the next step is a read of at most `limit`, and of nearly all of it, as nothing has happened yet.
#[track_caller]
pub fn reads_within(connection: &mut Connection, limit: Duration) {
    match connection.next_step() {
        Step::Read { within } => {
            // The test may have been put aside for a while; the limit can only have shrunk.
            assert!(within <= limit && !within.is_zero(), "{within:?}");
        }
        other => panic!("{other:?} instead of a read"),
    }
}

/// Asserts that the next step is a write. Returns what is written.
#[track_caller]
pub fn writes(connection: &mut Connection) -> String {
    match connection.next_step() {
        Step::Write(bytes) => without_date(&bytes),
        other => panic!("{other:?} instead of an answer"),
    }
}

/// Asserts that the connection waits with its close until the client has stopped.
#[track_caller]
pub fn drains(connection: &mut Connection) {
    let started = Instant::now();
    assert_eq!(connection.next_step(), Step::FinishWriting);
    match connection.next_step() {
        Step::Read { within } => assert!(within <= DRAIN_TIME, "{within:?}"),
        // On a machine that did nothing for a second, this is right as well.
        Step::Close if started.elapsed() >= DRAIN_TIME => {}
        other => panic!("{other:?} instead of a read"),
    }
}

/// The answer with its `Date` line taken out, once it is known to hold a date (RFC 9110, section 5.6.7).
///
/// # Panics
/// When there is not exactly one `Date`, or it holds no date.
pub fn without_date(answer: &[u8]) -> String {
    let answer = String::from_utf8(answer.to_vec()).expect("the site answers with UTF-8");
    let (before, rest) = answer.split_once("Date: ").expect("an answer has a date");
    let (date, after) = rest.split_once("\r\n").expect("a header line ends in CRLF");
    httpdate::parse_http_date(date).expect("the date is an HTTP date");
    assert_eq!(date.len(), 29, "the date is in the form that a sender must use: {date}");
    assert!(!after.contains("Date: "), "an answer has one date");
    format!("{before}{after}")
}

/// How the client's side of a conversation ends, once it has said everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It sends no more, and the other side learns that.
    Eof,
    /// It falls silent.
    Silence,
}

/// Takes every step of `connection` and notes it down, reads left out.
///
/// At each read the next of `pieces` arrives, and after the last piece `end`. Files and computations are real, a pause takes no time.
///
/// # Panics
/// When the connection has not closed after far more steps than any of these tests needs.
pub fn talk<'piece>(
    mut connection: Connection,
    pieces: impl IntoIterator<Item = &'piece [u8]>,
    end: End,
) -> Vec<Step> {
    // No read returns an empty piece.
    let mut pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
    let mut steps = Vec::new();
    for _ in 0..100_000 {
        let step = connection.next_step();
        match &step {
            Step::Read { .. } => {
                match (pieces.next(), end) {
                    (Some(piece), _) => connection.received(piece),
                    (None, End::Eof) => connection.ended(),
                    (None, End::Silence) => connection.timed_out(),
                }
                continue;
            }
            Step::ReadFile(path) => connection.file_read(std::fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(*rounds)),
            Step::Sleep(_) | Step::Write(_) | Step::FinishWriting | Step::Close => {}
        }
        let last = step == Step::Close;
        steps.push(match step {
            Step::Write(bytes) => Step::Write(without_date(&bytes).into_bytes()),
            other => other,
        });
        if last {
            return steps;
        }
    }
    panic!("the connection does not come to its end: {steps:?}");
}

/// The answers among `steps`, as text.
pub fn answers(steps: &[Step]) -> Vec<String> {
    let writes = steps.iter().filter_map(|step| match step {
        Step::Write(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    });
    writes.collect()
}

/// The status codes of the answers among `steps`.
pub fn codes(steps: &[Step]) -> Vec<u16> {
    answers(steps).iter().map(|answer| code(answer)).collect()
}

/// The status code of one answer.
pub fn code(answer: &str) -> u16 {
    let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).expect("an answer starts with a status line")
}

/// An error to hand to the site.
pub fn no_such_file() -> io::Error {
    io::ErrorKind::NotFound.into()
}
