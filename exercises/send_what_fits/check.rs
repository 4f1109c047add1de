//! Streams that have room for a few bytes now and then.

use std::io::{self, ErrorKind, Write};

use ex_send_what_fits::{Answer, Sent};
use exercise_kit::{check, within};

exercise_kit::checks![
    each_byte_leaves_once,
    all_that_fits_is_sent,
    without_room_it_returns,
    an_error_is_handed_on,
];

/// Has room for so many bytes, until the check makes some more.
struct Socket {
    room: usize,
    taken: Vec<u8>,
    /// How often it was asked while it had no room.
    in_vain: usize,
    breaks: bool,
    /// The most that it takes at once.
    most: usize,
}

impl Socket {
    fn with_room(room: usize) -> Socket {
        Socket { room, taken: Vec::new(), in_vain: 0, breaks: false, most: usize::MAX }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.breaks {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if self.room == 0 {
            self.in_vain += 1;
            // This ends a loop that would never return.
            let kind = if self.in_vain < 1000 { ErrorKind::WouldBlock } else { ErrorKind::Other };
            return Err(kind.into());
        }
        let count = bytes.len().min(self.room).min(self.most);
        self.room -= count;
        self.taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn bytes() -> Vec<u8> {
    (0..1000_u32).map(|number| (number % 251) as u8).collect()
}

/// Gives the stream room for `room` bytes before each call of `send`: the stream, and what the calls returned.
fn send(room: usize) -> (Socket, Vec<io::Result<Sent>>) {
    within("send", "`send` to return", move || {
        let mut socket = Socket::with_room(0);
        let mut answer = Answer::new(bytes());
        let mut outcomes = Vec::new();
        for _ in 0..1000_usize.div_ceil(room) {
            socket.room = room;
            outcomes.push(answer.send(&mut socket));
        }
        (socket, outcomes)
    })
}

fn each_byte_leaves_once() {
    for room in [1, 300, 999, 1000, 5000] {
        let (socket, outcomes) = send(room);
        let seen = format!(
            "with room for {room} bytes at a time, {} bytes came, but not in the order of the \
             answer",
            socket.taken.len()
        );
        check(
            socket.taken == bytes(),
            seen,
            "all 1000 bytes, each once and in order; look at where a call begins",
        );
        let (last, before) = outcomes.split_last().expect("there is at least one call");
        let parts = before.iter().all(|it| matches!(it, Ok(Sent::Part)));
        let right = parts && matches!(last, Ok(Sent::All));
        check(
            right,
            format_args!("the calls returned {outcomes:?}"),
            "Part each time, and All at the end",
        );
    }
}

fn all_that_fits_is_sent() {
    let (taken, sent) = within("send", "`send` to return", || {
        // It takes a third of what fits at once.
        let mut socket = Socket { most: 100, ..Socket::with_room(300) };
        let sent = Answer::new(bytes()).send(&mut socket);
        (socket.taken.len(), sent)
    });
    let seen = format!("`send` sent {taken} of the 300 bytes that fit, and returned {sent:?}");
    let right = taken == 300 && matches!(sent, Ok(Sent::Part));
    check(right, seen, "all 300, and Part: only `WouldBlock` says that there is no more room");
}

fn without_room_it_returns() {
    let (socket, _) = send(100);
    let seen = format!("`send` called `write` {} times without room", socket.in_vain);
    // Once for each call that came to the end of the room, and no more.
    check(socket.in_vain <= 10, seen, "`send` to return after the first `WouldBlock`");
}

fn an_error_is_handed_on() {
    let mut socket = Socket::with_room(100);
    let mut answer = Answer::new(bytes());
    let first = answer.send(&mut socket);
    check(
        matches!(first, Ok(Sent::Part)),
        format_args!("`send` returned {first:?} where there was room for 100 bytes"),
        "Part: the answer is longer",
    );
    socket.breaks = true;
    let kind = answer.send(&mut socket).err().map(|error| error.kind());
    check(
        kind == Some(ErrorKind::BrokenPipe),
        format_args!("`send` returned {kind:?} from a stream that is broken"),
        "BrokenPipe: only `WouldBlock` means that the client will take more",
    );
}
