//! [`blocking::handle`] on a stream that is a script instead of a socket.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, ErrorKind, Read, Write},
    time::Duration,
};

use crate::common::{code, without_date};
use site::{
    HEAD_TIME, Site, WRITE_TIME,
    blocking::{self, Stream},
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// What the stream was asked to do, in order.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    LimitReads,
    LimitWrites(Duration),
    Read,
    Write(Vec<u8>),
    FinishWriting,
}

/// A stream whose reads and writes have the outcomes that the test lists.
#[derive(Default)]
struct Script {
    /// The outcome of each read; afterwards the input is at its end.
    reads: VecDeque<Result<Vec<u8>, ErrorKind>>,
    /// How many bytes each write takes, or how it fails; afterwards each takes all.
    writes: VecDeque<Result<usize, ErrorKind>>,
    finish: Option<ErrorKind>,
    events: RefCell<Vec<Event>>,
}

impl Script {
    fn reading(reads: impl IntoIterator<Item = Result<&'static [u8], ErrorKind>>) -> Script {
        let reads = reads.into_iter().map(|read| read.map(<[u8]>::to_vec)).collect();
        Script { reads, ..Script::default() }
    }

    fn note(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }

    /// All bytes that were written.
    fn written(&self) -> Vec<u8> {
        let events = self.events.borrow();
        let pieces = events.iter().filter_map(|event| match event {
            Event::Write(bytes) => Some(bytes.as_slice()),
            _ => None,
        });
        pieces.collect::<Vec<_>>().concat()
    }

    fn count(&self, event: &Event) -> usize {
        self.events.borrow().iter().filter(|other| *other == event).count()
    }
}

impl Read for &mut Script {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.note(Event::Read);
        let bytes = self.reads.pop_front().unwrap_or(Ok(Vec::new()))?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        if count < bytes.len() {
            self.reads.push_front(Ok(bytes[count..].to_vec()));
        }
        Ok(count)
    }
}

impl Write for &mut Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.writes.pop_front().unwrap_or(Ok(bytes.len()))?.min(bytes.len());
        self.note(Event::Write(bytes[..count].to_vec()));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for &mut Script {
    fn limit_reads(&self, limit: Duration) -> io::Result<()> {
        assert!(!limit.is_zero() && limit <= HEAD_TIME, "{limit:?}");
        self.note(Event::LimitReads);
        Ok(())
    }

    fn limit_writes(&self, limit: Duration) -> io::Result<()> {
        self.note(Event::LimitWrites(limit));
        Ok(())
    }

    fn finish_writing(&self) -> io::Result<()> {
        self.note(Event::FinishWriting);
        self.finish.map_or(Ok(()), |kind| Err(kind.into()))
    }
}

fn serve(script: &mut Script) -> io::Result<()> {
    blocking::handle(script, &Site::default())
}

#[test]
fn one_request_from_first_byte_to_last() {
    let mut script = Script::reading([Ok(GET)]);
    serve(&mut script).expect("nothing went wrong");
    let answer = without_date(&script.written());
    assert_eq!(code(&answer), 200);
    let events = script.events.borrow();
    // Writes are limited before the first of them, and each read just before it.
    assert_eq!(events[..3], [Event::LimitWrites(WRITE_TIME), Event::LimitReads, Event::Read]);
    assert!(matches!(events[3], Event::Write(_)));
    assert_eq!(events[4..], [Event::FinishWriting, Event::LimitReads, Event::Read]);
}

#[test]
fn a_request_in_pieces_with_signals_between() {
    let interrupted = || Err(ErrorKind::Interrupted);
    let reads = GET.chunks(1).flat_map(|piece| [interrupted(), interrupted(), Ok(piece)]);
    let mut script = Script::reading(reads);
    serve(&mut script).expect("a signal is no error");
    assert_eq!(code(&without_date(&script.written())), 200);
}

#[test]
fn a_signal_while_draining() {
    let mut script = Script::reading([Ok(GET), Err(ErrorKind::Interrupted), Ok(b"more"), Ok(b"")]);
    serve(&mut script).expect("a signal is no error");
    assert_eq!(script.count(&Event::Read), 4);
}

#[test]
fn a_head_that_takes_too_long() {
    // Which of the two it is depends on the system.
    for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
        let mut script = Script::reading([Ok(&GET[..10]), Err(kind)]);
        serve(&mut script).expect("the client has its answer");
        assert_eq!(code(&without_date(&script.written())), 408);
        assert_eq!(script.count(&Event::FinishWriting), 1);

        let mut silent = Script::reading([Err(kind)]);
        serve(&mut silent).expect("the end of a quiet connection is no error");
        assert!(silent.written().is_empty());
    }
}

#[test]
fn a_client_that_leaves() {
    let mut script = Script::reading([Ok(b"GET / HT".as_slice())]);
    serve(&mut script).expect("to leave is no error");
    assert!(script.written().is_empty());

    let mut script = Script::reading([Ok(&GET[..10]), Err(ErrorKind::ConnectionReset)]);
    let error = serve(&mut script).expect_err("a reset is an error for the caller");
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(script.written().is_empty());
}

#[test]
fn an_answer_in_many_small_writes() {
    let mut whole = Script::reading([Ok(GET)]);
    serve(&mut whole).expect("nothing went wrong");
    let length = whole.written().len();

    let mut script = Script::reading([Ok(GET)]);
    // Each write takes less than asked, and signals come between.
    script.writes = (0..length).flat_map(|_| [Ok(1), Err(ErrorKind::Interrupted)]).collect();
    serve(&mut script).expect("a short write is no error");
    assert_eq!(without_date(&script.written()), without_date(&whole.written()));
    assert_eq!(script.count(&Event::FinishWriting), 1);
}

#[test]
fn a_client_that_does_not_read() {
    for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::BrokenPipe] {
        let mut script = Script::reading([Ok(GET)]);
        script.writes = [Ok(5), Err(kind)].into();
        let error = serve(&mut script).expect_err("the answer did not arrive");
        assert_eq!(error.kind(), kind);
        assert_eq!(script.count(&Event::FinishWriting), 0);
    }
    // A stream that takes no bytes and reports no error must not be asked forever.
    let mut script = Script::reading([Ok(GET)]);
    script.writes = [Ok(0)].into();
    assert_eq!(serve(&mut script).expect_err("nothing was taken").kind(), ErrorKind::WriteZero);
}

#[test]
fn a_client_that_is_gone_before_the_end() {
    let mut script = Script::reading([Ok(GET)]);
    script.finish = Some(ErrorKind::NotConnected);
    let error = serve(&mut script).expect_err("the shutdown failed");
    assert_eq!(error.kind(), ErrorKind::NotConnected);
}

#[test]
fn each_kind_of_work_is_done() {
    for (target, end) in [
        ("/sleep?ms=1", "slept 1 ms\n"),
        ("/tenth", "request 1 did not wait\n"),
        ("/file", "</html>\n"),
        ("/work?n=2", "\"city\":\"Value: 1\"}"),
    ] {
        let head = format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes();
        let mut script = Script { reads: [Ok(head)].into(), ..Script::default() };
        serve(&mut script).expect("nothing went wrong");
        let answer = without_date(&script.written());
        assert_eq!(code(&answer), 200, "{target}");
        assert!(answer.ends_with(end), "{answer}");
    }
}

#[test]
fn pipelined_requests_in_keep_alive_mode() {
    let mut script = Script { reads: [Ok(GET.repeat(50))].into(), ..Script::default() };
    blocking::handle(&mut script, &Site::with_keep_alive(true)).expect("nothing went wrong");
    let written = String::from_utf8(script.written()).expect("UTF-8");
    assert_eq!(written.matches("HTTP/1.1 200 OK\r\n").count(), 50);
    // One read brought them all, and one more found the end.
    assert_eq!(script.count(&Event::Read), 2);
}
