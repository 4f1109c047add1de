//! Requests in one piece, and in several with pauses.

use std::{thread, time::Duration};

use ex_lost_in_select::serve;
use exercise_kit::{Server, check};

/// Many ticks of the server's clock.
const PAUSE: Duration = Duration::from_millis(150);

/// The length of the request, in bytes.
const WHOLE: usize = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".len();

fn ask(pieces: &[&str]) {
    let server = Server::start(serve);
    let mut client = server.connect();
    let mut length = 0;
    for piece in pieces {
        client.send(piece);
        length += piece.len();
        if length < WHOLE {
            thread::sleep(PAUSE);
        }
    }
    let response = client.response(format_args!("an answer to the pieces {pieces:?}"));
    let right = response.body.starts_with(&format!("{length} bytes"));
    check(right, format_args!("{:?}", response.body), format_args!("{length} bytes"));
}

#[test]
fn one_piece_is_answered() {
    ask(&["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"]);
}

#[test]
fn so_are_several() {
    ask(&["GET / HTTP/1.1\r\n", "Host: localhost\r\n", "\r\n"]);
}
