//! Clients that send their request in pieces, one of them without end.

use std::time::{Duration, Instant};

use ex_late_deadline::serve;
use exercise_kit::{Server, check, deadline, shortest};

exercise_kit::checks![
    a_request_in_pieces_is_answered,
    a_silent_client_is_told,
    a_client_that_never_ends_is_told,
    silence_before_the_first_line_counts_too,
];

/// Short enough for a check to wait for its end.
fn limit() -> Duration {
    deadline() / 8
}

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

fn a_request_in_pieces_is_answered() {
    let server = Server::start(|listener| serve(listener, AN_HOUR));
    let mut client = server.connect();
    for piece in ["GET / HTTP/1.1\r\n", "Host: localhost\r\n", "\r\n"] {
        let early = client.hears_within(Duration::from_millis(50));
        check(
            !early,
            "the server answered, or hung up, before the request was whole",
            "patience until the empty line has come",
        );
        client.send(piece);
    }
    let status = client.response("a 200 for a request in three pieces").status;
    check(
        status == 200,
        format_args!("the response has the status {status}"),
        "200, because the limit was an hour",
    );
}

fn a_silent_client_is_told() {
    let server = Server::start(|listener| serve(listener, limit()));
    let took = shortest(2 * limit(), || {
        let start = Instant::now();
        let status = server.connect().response("a 408 for a client that says nothing").status;
        check(status == 408, format_args!("the response has the status {status}"), "408");
        start.elapsed()
    });
    let expected = format!("the 408 after {:?}", limit());
    check(took >= limit(), format_args!("the 408 came after {took:?}"), &expected);
    check(took < 2 * limit(), format_args!("the 408 came only after {took:?}"), expected);
}

fn a_client_that_never_ends_is_told() {
    let server = Server::start(|listener| serve(listener, limit()));
    let mut client = server.connect();
    client.send("GET / HTTP/1.1\r\n");
    let start = Instant::now();
    // A line now and then, each well within the limit.
    while !client.hears_within(limit() / 4) {
        check(
            start.elapsed() < deadline(),
            format_args!("a client could send lines for {:?}", deadline()),
            format_args!(
                "a 408 for a client that never comes to an end, after {:?}; look at when the \
                 limit begins",
                limit()
            ),
        );
        client.send("Still: here\r\n");
    }
    let status = client.response("a 408 for a client that never comes to an end").status;
    check(status == 408, format_args!("the response has the status {status}"), "408");
}

fn silence_before_the_first_line_counts_too() {
    let server = Server::start(|listener| serve(listener, limit()));
    let late = limit() * 3 / 2;
    let took = shortest(late, || {
        let start = Instant::now();
        let mut client = server.connect();
        // Nearly all of the time, unless the machine stalls: then the answer comes here.
        client.hears_within(limit() * 3 / 4);
        client.send("GET / HTTP/1.1\r\n");
        let status = client.response("a 408 for a client that begins late").status;
        check(status == 408, format_args!("the response has the status {status}"), "408");
        start.elapsed()
    });
    let seen = format!("the 408 for a client that begins late came only after {took:?}");
    check(took < late, seen, format_args!("after {:?}, its silence included", limit()));
}
