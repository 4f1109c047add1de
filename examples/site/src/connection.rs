//! One connection as a state machine: what arrived goes in, and the next step comes out.

use std::{
    io::{self, ErrorKind},
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT, HEAD_TIME, Parsed, Request, Response, Site, Status, Work,
    parse,
};

/// What a rung does next on a connection. It is handed out once: an answer that isn't written is lost.
#[must_use = "a step that isn't taken is lost, and with it the answer"]
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Read once. Then call [`Connection::received`], [`Connection::ended`] where the client's stream is at its
    /// end, or [`Connection::timed_out`] if nothing came in time; [`Connection::read_failed`] tells the last from
    /// other errors.
    Read {
        /// How long to wait for the bytes.
        within: Duration,
    },
    /// Wait this long.
    Sleep(Duration),
    /// Read this file, then call [`Connection::file_read`].
    ReadFile(&'static Path),
    /// Call [`compute`](crate::compute) with this number, then [`Connection::computed`].
    Compute(u32),
    /// Send all of these bytes, within [`WRITE_TIME`](crate::WRITE_TIME).
    Write(Vec<u8>),
    /// Shut down the sending half: the client learns that the answer is whole.
    FinishWriting,
    /// Drop the connection.
    Close,
}

/// The protocol side of one connection. It does no I/O; it reads the clock, and nothing else.
///
/// Call [`next_step`](Connection::next_step), take that step, repeat until it is [`Step::Close`].
#[derive(Debug)]
pub struct Connection<'site> {
    site: &'site Site,
    /// Bytes that arrived and belong to no request yet.
    received: Vec<u8>,
    /// How many of them have been parsed already, and are no whole head.
    parsed: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Waiting for a whole request head.
    Reading {
        until: Instant,
    },
    /// The work was handed out; this is its answer.
    Working {
        request: Request,
        answer: Response,
    },
    /// The answer is ready to be sent.
    Answering {
        bytes: Vec<u8>,
        keep_alive: bool,
    },
    /// The answer was sent.
    Answered {
        keep_alive: bool,
    },
    /// The client knows that we are done; what it still sends is read and thrown away.
    ///
    /// To close with unread input makes the kernel send a reset, and a reset can destroy
    /// the answer before the client has read it (RFC 9112, section 9.6).
    Draining {
        until: Instant,
        left: usize,
    },
    Closed,
}

impl<'site> Connection<'site> {
    /// A connection before anything has arrived.
    pub fn new(site: &'site Site) -> Connection<'site> {
        Connection { site, received: Vec::new(), parsed: 0, state: State::reading() }
    }

    /// Returns what to do next.
    ///
    /// # Panics
    /// On the route `/panic`, if `--panic-route` turned it on.
    // ANCHOR: next_step
    pub fn next_step(&mut self) -> Step {
        loop {
            match std::mem::replace(&mut self.state, State::Closed) {
                State::Reading { until } => match self.head() {
                    Parsed::NeedMore => {
                        self.state = State::Reading { until };
                        // A client that sends a byte now and then keeps every read in time, but not the whole.
                        match time_left(until) {
                            Some(within) => return Step::Read { within },
                            None => self.timed_out(),
                        }
                    }
                    // ANCHOR_END: next_step
                    Parsed::Request { request, length } => {
                        self.forget(length);
                        let (work, answer) = self.site.route(&request);
                        self.state = State::Working { request, answer };
                        match work {
                            Work::None => {}
                            Work::Sleep(pause) => return Step::Sleep(pause),
                            Work::ReadFile(path) => return Step::ReadFile(path),
                            Work::Compute(rounds) => return Step::Compute(rounds),
                        }
                    }
                    Parsed::Refused(status) => self.refuse(status),
                },
                State::Working { request, answer } => {
                    let keep_alive = self.site.keeps_alive(&request);
                    let bytes = answer.encode(Some(&request), keep_alive);
                    self.state = State::Answering { bytes, keep_alive };
                }
                // ANCHOR: ending
                State::Answering { bytes, keep_alive } => {
                    self.state = State::Answered { keep_alive };
                    return Step::Write(bytes);
                }
                // Only now does the time for a client's next request begin.
                State::Answered { keep_alive: true } => self.state = State::reading(),
                State::Answered { keep_alive: false } => {
                    self.state =
                        State::Draining { until: Instant::now() + DRAIN_TIME, left: DRAIN_LIMIT };
                    return Step::FinishWriting;
                }
                State::Draining { until, left } => {
                    if let Some(within) = time_left(until) {
                        self.state = State::Draining { until, left };
                        return Step::Read { within };
                    }
                }
                State::Closed => return Step::Close,
                // ANCHOR_END: ending
            }
        }
    }

    /// These bytes arrived.
    ///
    /// # Panics
    /// When there are none: a read of 0 bytes is the end of the stream, for which there is
    /// [`ended`](Connection::ended).
    pub fn received(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "a read of 0 bytes is the end of the stream: call ended()");
        match &mut self.state {
            State::Draining { left, .. } if bytes.len() < *left => *left -= bytes.len(),
            State::Draining { .. } => self.state = State::Closed,
            _ => self.received.extend_from_slice(bytes),
        }
    }

    /// The client will send no more: the read of [`Step::Read`] found the end of its stream.
    pub fn ended(&mut self) {
        match self.refusal() {
            Some(status) => self.refuse(status),
            None => self.state = State::Closed,
        }
    }

    /// Nothing arrived within the time of [`Step::Read`].
    pub fn timed_out(&mut self) {
        match self.state {
            // Half a request deserves an answer. A client that never said a word does not wait for one.
            State::Reading { .. } if !self.received.is_empty() => {
                let status = self.refusal().unwrap_or(Status::REQUEST_TIMEOUT);
                self.refuse(status);
            }
            _ => self.state = State::Closed,
        }
    }

    /// The read of [`Step::Read`] failed. If its time was over, that is [`timed_out`](Connection::timed_out).
    /// If a signal woke the thread early, nothing has happened: the next step is the same read.
    ///
    /// # Errors
    /// Any other error: the client is lost.
    pub fn read_failed(&mut self, error: io::Error) -> io::Result<()> {
        match error.kind() {
            // A socket with a time limit reports the first on Unix, and the second on Windows.
            ErrorKind::WouldBlock | ErrorKind::TimedOut => self.timed_out(),
            ErrorKind::Interrupted => {}
            _ => return Err(error),
        }
        Ok(())
    }

    /// The outcome of [`Step::ReadFile`]. A file that can't be read becomes a [refusal](Response::unreadable).
    ///
    /// # Panics
    /// When no step has asked for work.
    pub fn file_read(&mut self, contents: io::Result<Vec<u8>>) {
        let answer = self.unfinished_answer();
        match contents {
            Ok(contents) => answer.body = contents,
            Err(error) => *answer = Response::unreadable(&error),
        }
    }

    /// The outcome of [`Step::Compute`].
    ///
    /// # Panics
    /// When no step has asked for work.
    pub fn computed(&mut self, result: String) {
        self.unfinished_answer().body = result.into_bytes();
    }

    /// The work of [`Step::Sleep`], [`Step::ReadFile`] or [`Step::Compute`] is not done, or not in time: the server has
    /// too much of it. The client learns that, and why, in a 503.
    ///
    /// # Panics
    /// When no step has asked for work.
    pub fn given_up(&mut self, why: &str) {
        *self.unfinished_answer() = Response::unavailable(why);
    }

    /// The answer that waits for the outcome of its work.
    fn unfinished_answer(&mut self) -> &mut Response {
        match &mut self.state {
            State::Working { answer, .. } => answer,
            other => panic!("no step has asked for work: the connection is {other:?}"),
        }
    }

    /// Parses the head, if what has arrived since the last look may have completed it, or spoilt it.
    ///
    /// The parser begins at the first byte each time. To ask it after each read would cost a head that comes byte by byte
    /// the square of its length. So it is asked when a line has ended, which a head does a hundred times at most, and
    /// when twice as much is there as the last time.
    fn head(&mut self) -> Parsed {
        // Empty lines before a request mean nothing (RFC 9112, section 2.2), and there may be any number of them.
        let empty_lines = self.received.chunks_exact(2).take_while(|line| *line == b"\r\n").count();
        if empty_lines > 0 {
            self.forget(2 * empty_lines);
        }
        let length = self.received.len();
        let line_has_ended = self.received[self.parsed..].contains(&b'\n');
        if !line_has_ended && length < 2 * self.parsed && length < HEAD_LIMIT {
            return Parsed::NeedMore;
        }
        self.parsed = length;
        parse(&self.received)
    }

    /// Returns why the bytes can become no request, if that is so: [`head`](Connection::head) may not have looked yet.
    fn refusal(&self) -> Option<Status> {
        match (&self.state, parse(&self.received)) {
            (State::Reading { .. }, Parsed::Refused(status)) => Some(status),
            _ => None,
        }
    }

    /// Drops these first bytes, which are done with.
    fn forget(&mut self, count: usize) {
        self.received.drain(..count);
        self.parsed = 0;
        if self.received.is_empty() {
            // A client that waits costs no buffer, however large its last request was.
            self.received = Vec::new();
        }
    }

    /// Whether the connection only waits for a request and not a byte of it has come:
    /// no client loses anything if it is closed now.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Reading { .. }) && self.received.is_empty()
    }

    fn refuse(&mut self, status: Status) {
        let answer = Response::refusal(status);
        let mut bytes = answer.encode(None, false);
        // Whatever else is wrong with it: an answer to HEAD has no body (RFC 9110, section 9.3.2).
        if self.received.starts_with(b"HEAD ") {
            bytes.truncate(bytes.len() - answer.body.len());
        }
        self.state = State::Answering { bytes, keep_alive: false };
    }
}

impl State {
    fn reading() -> State {
        State::Reading { until: Instant::now() + HEAD_TIME }
    }
}

/// The time until `until`, or `None` if it is over. Never zero: some systems take that for "forever".
fn time_left(until: Instant) -> Option<Duration> {
    until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_whose_work_is_given_up_is_told_when_to_come_again() {
        let site = Site::with_keep_alive(true);
        let mut connection = Connection::new(&site);
        connection.received(b"GET /sleep HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(matches!(connection.next_step(), Step::Sleep(_)));
        connection.given_up("too many wait.");
        let Step::Write(answer) = connection.next_step() else { panic!("nothing arrived") };
        let answer = String::from_utf8(answer).expect("it is text");
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
        assert!(answer.contains("\r\nRetry-After: 1\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n503 Service Unavailable: too many wait.\n"), "{answer}");
        // The client may stay: to connect again would cost both of them more.
        assert!(matches!(connection.next_step(), Step::Read { .. }));
    }

    /// How many bytes the parser has looked at, when these bytes come one by one and are no whole head before the last.
    fn looked_at(bytes: &[u8]) -> usize {
        let site = Site::with_keep_alive(true);
        let mut connection = Connection::new(&site);
        let mut looked_at = 0;
        for byte in bytes {
            let before = connection.parsed;
            connection.received(&[*byte]);
            let Step::Read { .. } = connection.next_step() else { break };
            if connection.parsed != before {
                looked_at += connection.parsed;
            }
        }
        looked_at
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_not_parsed_at_each_byte() {
        let long_line = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(HEAD_LIMIT));
        let seen = looked_at(&long_line.as_bytes()[..HEAD_LIMIT]);
        assert!(seen < 3 * HEAD_LIMIT, "one line: {seen} bytes");
        let line = format!("X: {}\r\n", "x".repeat(155));
        let lines = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", line.repeat(99));
        let seen = looked_at(lines.as_bytes());
        assert!(seen < 60 * HEAD_LIMIT, "a hundred lines: {seen} bytes");
        let seen = looked_at(&b"\r\n".repeat(HEAD_LIMIT));
        assert!(seen < 3 * HEAD_LIMIT, "empty lines: {seen} bytes");
    }

    #[test]
    fn a_connection_that_waits_holds_no_buffer() {
        let site = Site::with_keep_alive(true);
        let mut connection = Connection::new(&site);
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        let rest = "x".repeat(HEAD_LIMIT - start.len() - 4);
        connection.received(format!("{start}{rest}\r\n\r\n").as_bytes());
        assert!(matches!(connection.next_step(), Step::Write(_)), "the longest head is answered");
        assert!(matches!(connection.next_step(), Step::Read { .. }));
        assert!(connection.is_idle());
        assert_eq!(connection.received.capacity(), 0);
    }
}
