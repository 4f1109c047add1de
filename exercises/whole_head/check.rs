//! Gives the head in pieces: from a list of them, and over a real socket.

use std::{
    collections::VecDeque,
    io::{self, Read},
    time::Duration,
};

use ex_whole_head::{LIMIT, read_head};
use exercise_kit::{Server, answer_now, check, within};

exercise_kit::checks![
    one_piece_is_enough,
    every_cut_gives_the_same_head,
    what_comes_behind_the_head_does_not_hide_its_end,
    a_long_head_is_read_whole,
    half_a_head_is_none,
    a_head_without_an_end_is_given_up,
    a_slow_client_is_answered,
];

const HEAD: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Gives a piece for each `read`, and then the end.
struct Pieces(VecDeque<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(mut piece) = self.0.pop_front() else { return Ok(0) };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        if count < piece.len() {
            self.0.push_front(piece.split_off(count));
        }
        Ok(count)
    }
}

/// Gives a small piece for each `read`, and has an end only so that a check has one.
struct Endless {
    taken: usize,
}

impl Endless {
    const PIECE: usize = 1000;
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = (3 * LIMIT).saturating_sub(self.taken);
        let count = buffer.len().min(Endless::PIECE).min(left);
        buffer[..count].fill(b'x');
        self.taken += count;
        Ok(count)
    }
}

/// What `read_head` makes of these pieces, as text.
fn read(pieces: &[&str]) -> Option<String> {
    let mut pieces = Pieces(pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect());
    let head = within(
        "read_head",
        "a head, or None; look at what your loop does when `read` returns 0",
        move || read_head(&mut pieces),
    );
    head.expect("these pieces have no error")
        .map(|head| String::from_utf8_lossy(&head).into_owned())
}

fn one_piece_is_enough() {
    let seen = read(&[HEAD]);
    check(
        seen.as_deref() == Some(HEAD),
        format_args!("read_head returned {seen:?}"),
        format_args!("{HEAD:?}"),
    );
}

fn every_cut_gives_the_same_head() {
    for cut in 1..HEAD.len() {
        let (one, other) = HEAD.split_at(cut);
        let seen = read(&[one, other]);
        let pieces = format!(
            "the whole head from the two pieces {one:?} and {other:?}; look at where you search \
             for the empty line"
        );
        check(seen.as_deref() == Some(HEAD), format_args!("read_head returned {seen:?}"), pieces);
    }
}

fn what_comes_behind_the_head_does_not_hide_its_end() {
    for behind in [HEAD, "GET /nex", "a body"] {
        let seen = read(&[&format!("{HEAD}{behind}")]);
        let right = seen.as_deref().is_some_and(|seen| seen.starts_with(HEAD));
        let expected = format!(
            "a head, although {behind:?} came in one piece with its end; the empty line need not \
             be the last thing you have read"
        );
        check(right, format_args!("read_head returned {seen:?}"), expected);
    }
}

fn a_long_head_is_read_whole() {
    let begin = "GET / HTTP/1.1\r\nCookie: ";
    let end = "\r\n\r\n";
    for length in [9000, LIMIT] {
        let head = format!("{begin}{}{end}", "x".repeat(length - begin.len() - end.len()));
        let seen = read(&[&head]).unwrap_or_default();
        let count = format!("read_head returned {} bytes of a long head", seen.len());
        check(
            seen == head,
            count,
            format_args!("all its {length} bytes; look at when you give up"),
        );
    }
}

fn half_a_head_is_none() {
    for begun in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\n"] {
        let seen = read(&[begun]);
        let end = format!("None, because the client ended after {begun:?}");
        check(seen.is_none(), format_args!("read_head returned {seen:?}"), end);
    }
}

fn a_head_without_an_end_is_given_up() {
    let (seen, taken) = within(
        "reading a head that never ends",
        "None at `LIMIT` bytes; look at what ends your loop",
        || {
            let mut stream = Endless { taken: 0 };
            (read_head(&mut stream), stream.taken)
        },
    );
    let seen = seen.expect("this has no error").map(|head| format!("{} bytes", head.len()));
    check(
        seen.is_none(),
        format_args!("read_head returned {seen:?}"),
        format_args!("None after {LIMIT} bytes"),
    );
    // A read more than needed is forgiven.
    let right = (LIMIT..LIMIT + 3 * Endless::PIECE).contains(&taken);
    let seen = format!("read_head gave up after {taken} bytes without an empty line");
    check(
        right,
        seen,
        format_args!("the end at {LIMIT} bytes; look at when you compare with `LIMIT`"),
    );
}

fn a_slow_client_is_answered() {
    let server = Server::start(|listener| {
        for mut stream in listener.incoming().flatten() {
            if let Ok(Some(_)) = read_head(&mut stream) {
                answer_now(&stream, "whole\n");
            }
        }
    });
    let mut client = server.connect();
    for piece in HEAD.as_bytes().chunks(5) {
        let early = client.hears_within(Duration::from_millis(20));
        check(
            !early,
            "the server answered, or hung up, before the head was whole",
            "patience until the empty line has come",
        );
        client.send(piece);
    }
    client.response("an answer to a head that came in pieces of five bytes");
}
