//! Streams that take a few bytes at a time, are interrupted, or break.

use std::io::{self, ErrorKind, Write};

use ex_whole_answer::send_all;
use exercise_kit::{check, fail, within};

exercise_kit::checks![
    a_narrow_stream_gets_all,
    an_interruption_is_no_end,
    an_error_is_handed_on,
    a_stream_that_takes_nothing_is_an_error,
    nothing_to_send_is_nothing_to_do,
];

/// Takes at most `most` bytes a call, and fails as often as it should.
struct Narrow {
    most: usize,
    /// What the next calls fail with, the last first.
    errors: Vec<ErrorKind>,
    taken: Vec<u8>,
    calls: usize,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if let Some(kind) = self.errors.pop() {
            return Err(kind.into());
        }
        let count = bytes.len().min(self.most);
        self.taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn write_all(&mut self, _bytes: &[u8]) -> io::Result<()> {
        fail("a call of `write_all` in your file", "a loop of your own around `write`")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends a thousand bytes: the stream afterwards, and what `send_all` returned.
fn send(most: usize, errors: &[ErrorKind]) -> (Narrow, io::Result<()>) {
    let mut stream = Narrow { most, errors: errors.to_vec(), taken: Vec::new(), calls: 0 };
    within(
        "send_all",
        "an end; look at what your loop does when `write` takes nothing, or fails",
        move || {
            let sent = send_all(&mut stream, &answer());
            (stream, sent)
        },
    )
}

fn answer() -> Vec<u8> {
    (0..1000_u32).map(|number| (number % 251) as u8).collect()
}

fn is_whole(stream: &Narrow, sent: &io::Result<()>) {
    let seen = format!(
        "the stream took {} bytes in {} calls, and send_all returned {sent:?}",
        stream.taken.len(),
        stream.calls
    );
    check(sent.is_ok() && stream.taken == answer(), seen, "all 1000 bytes, each once and in order");
}

fn a_narrow_stream_gets_all() {
    for most in [1, 7, 999, 1000, 5000] {
        let (stream, sent) = send(most, &[]);
        is_whole(&stream, &sent);
    }
}

fn an_interruption_is_no_end() {
    let (stream, sent) = send(300, &[ErrorKind::Interrupted, ErrorKind::Interrupted]);
    is_whole(&stream, &sent);
}

fn an_error_is_handed_on() {
    // As often as a wrong loop may ask.
    let (stream, sent) = send(300, &[ErrorKind::BrokenPipe; 100]);
    let kind = sent.err().map(|error| error.kind());
    let seen = format!(
        "send_all returned {kind:?} after {} calls to a stream that is broken",
        stream.calls
    );
    check(
        kind == Some(ErrorKind::BrokenPipe) && stream.calls == 1,
        seen,
        "BrokenPipe, at once: only an interruption is worth another try",
    );
}

fn a_stream_that_takes_nothing_is_an_error() {
    let (_, sent) = send(0, &[]);
    let kind = sent.err().map(|error| error.kind());
    check(
        kind == Some(ErrorKind::WriteZero),
        format_args!("send_all returned {kind:?} where `write` takes 0 bytes"),
        "WriteZero",
    );
}

fn nothing_to_send_is_nothing_to_do() {
    let mut stream = Narrow { most: 0, errors: Vec::new(), taken: Vec::new(), calls: 0 };
    let sent = send_all(&mut stream, b"");
    check(
        sent.is_ok(),
        format_args!("send_all returned {sent:?} where there is nothing to send"),
        "Ok, for an empty answer",
    );
}
