//! What several of these tests share.

use std::io;

use site::{Connection, Step, compute};

/// The answer with its `Date` line taken out, after a check that it holds a date (RFC 9110, section 5.6.7).
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
    /// It sends no more, and says so.
    Eof,
    /// It falls silent.
    Silence,
}

/// Takes every step of `connection` and notes it down, reads left out.
///
/// At each read the next of `pieces` arrives, and after the last one `end`. Files and computations are real, a pause takes no time.
///
/// # Panics
/// When the connection has not closed after far more steps than any of these tests needs.
pub fn talk<'piece>(
    mut connection: Connection,
    pieces: impl IntoIterator<Item = &'piece [u8]>,
    end: End,
) -> Vec<Step> {
    // An empty piece would mean the end of the input.
    let mut pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
    let mut steps = Vec::new();
    for _ in 0..100_000 {
        let step = connection.next_step();
        match &step {
            Step::Read { .. } => {
                match (pieces.next(), end) {
                    (Some(piece), _) => connection.received(piece),
                    (None, End::Eof) => connection.received(b""),
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
