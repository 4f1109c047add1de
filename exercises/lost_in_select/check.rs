//! Requests in one piece, and in several with pauses.

use std::{
    thread,
    time::{Duration, Instant},
};

use ex_lost_in_select::serve;
use exercise_kit::{Server, check, deadline};

exercise_kit::checks![one_piece_is_answered, so_are_several_and_the_clock_ticks_meanwhile];

/// Asks in these pieces, with a pause between them: how many ticks the answer tells.
fn ask(pieces: &[&str], pause: Duration) -> usize {
    let server = Server::start(serve);
    let mut client = server.connect();
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            thread::sleep(pause);
        }
        client.send(piece);
    }
    let response = client.response(format_args!(
        "a response to the pieces {pieces:?}; look at what is dropped when the clock ticks"
    ));
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let ticks = response.body.strip_prefix(&format!("{length} bytes, "));
    let ticks = ticks.and_then(|rest| rest.strip_suffix(" ticks\n")?.parse().ok());
    let Some(ticks) = ticks else {
        let expected = format!(
            "\"{length} bytes, \" and the number of ticks; look at where the bytes of the first \
             piece are kept"
        );
        exercise_kit::fail(format_args!("the response is {:?}", response.body), expected)
    };
    ticks
}

fn one_piece_is_answered() {
    ask(&["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"], Duration::ZERO);
}

fn so_are_several_and_the_clock_ticks_meanwhile() {
    let start = Instant::now();
    let mut pause = Duration::from_millis(150);
    // A server that didn't run during the whole pause is excused; it gets a longer pause.
    while ask(&["GET / HTTP/1.1\r\n", "Host: localhost\r\n", "\r\n"], pause) == 0 {
        let late = start.elapsed() > deadline() / 2;
        check(
            !late,
            format_args!("the server counted 0 ticks in two pauses of {pause:?}"),
            "a clock that ticks while the server reads",
        );
        pause *= 2;
    }
}
