//! Silent clients, clients that say half a word, and one that asks properly.

use std::time::{Duration, Instant};

use ex_time_out::serve;
use exercise_kit::{Server, check, deadline, shortest};

exercise_kit::checks![
    a_good_client_is_answered_beside_silent_ones,
    a_silent_client_is_disconnected
];

/// Long enough for a client that means it, and short enough for a check to wait for its end.
fn patience() -> Duration {
    deadline() / 8
}

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

fn a_good_client_is_answered_beside_silent_ones() {
    let server = Server::start(|listener| serve(listener, AN_HOUR));
    let _silent: Vec<_> = (0..20).map(|_| server.connect()).collect();
    let mut client = server.connect();
    client.get("/");
    client.response("an immediate answer, despite twenty silent clients");
}

fn a_silent_client_is_disconnected() {
    // This client outlasts all the others.
    let patient = Server::start(|listener| serve(listener, AN_HOUR));
    let mut waiting = patient.connect();
    let server = Server::start(|listener| serve(listener, patience()));
    for said in ["", "GET / HT"] {
        let expected = format!("the server to close it after {:?}, its `limit`", patience());
        let took = shortest(2 * patience(), || {
            let start = Instant::now();
            let mut silent = server.connect();
            silent.send(said);
            let closed = silent.is_closed();
            let seen = format!("the connection of a client that has said {said:?} is still open");
            check(closed, seen, &expected);
            start.elapsed()
        });
        check(
            took >= patience(),
            format_args!("the server closed a connection after {took:?}"),
            &expected,
        );
        check(
            took < 2 * patience(),
            format_args!("the server closed a connection only after {took:?}"),
            expected,
        );
    }
    let ended = waiting.hears_within(Duration::from_millis(1));
    check(
        !ended,
        "the server hung up on a client whose `limit` was an hour",
        "`limit` to decide; look for a time that you have written into the code",
    );
}
