//! A client that sends nothing, half a word, or a byte now and then comes before a client that asks properly.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ex_silent_client::serve;
use exercise_kit::{Client, Server, check, deadline, shortest};

exercise_kit::checks![
    a_client_is_served,
    a_silent_client_does_not_hold_the_next_one_for_ever,
    nor_does_one_that_says_half_a_word,
    nor_does_one_that_sends_a_byte_now_and_then,
    a_slow_client_has_its_patience,
];

/// Long enough for a client that means it, and short enough for a check to wait for its end.
fn patience() -> Duration {
    deadline() / 8
}

fn a_good_client_behind(said: &str) {
    let late = 2 * patience();
    let took = shortest(late, || answer_behind(said));
    let seen =
        format!("a client was answered only {took:?} after the one before it had said {said:?}");
    check(
        took < late,
        seen,
        format_args!(
            "nobody to hold the server for longer than {:?}; look at what all reads of a request \
             may take together",
            patience()
        ),
    );
}

/// How long a client waits for its answer that comes behind one that falls silent.
fn answer_behind(said: &str) -> Duration {
    let server = Server::start(|listener| serve(listener, patience()));
    let start = Instant::now();
    let mut silent = server.connect();
    silent.send(said);
    let mut good = server.connect();
    good.get("/");
    let response = good.response(format_args!(
        "an answer, {:?} after the client before it has connected, said {said:?} and fallen silent",
        patience()
    ));
    let took = start.elapsed();
    check(
        response.status == 200,
        format_args!("the response has the status {}", response.status),
        "200",
    );
    check(
        silent.is_closed(),
        "the silent client's connection was still open",
        "the server to close it",
    );
    took
}

fn a_client_is_served() {
    let server = Server::start(|listener| serve(listener, patience()));
    for _ in 0..3 {
        let mut client = server.connect();
        client.get("/");
        client.response("a response while nobody else asks");
    }
}

fn a_silent_client_does_not_hold_the_next_one_for_ever() {
    a_good_client_behind("");
}

fn nor_does_one_that_says_half_a_word() {
    a_good_client_behind("GET / HT");
}

/// Sends a byte now and then, until it has to stop: the longest time between two of them.
fn drip(mut client: Client, stop: &AtomicBool) -> Duration {
    let mut longest = Duration::ZERO;
    let mut last = Instant::now();
    client.send("GET / HTTP/1.1\r\nCookie: ");
    while !stop.load(Ordering::SeqCst) {
        thread::sleep(patience() / 40);
        client.send("x");
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    longest
}

fn nor_does_one_that_sends_a_byte_now_and_then() {
    // On a machine that stalls, a client may have been silent that meant to drip. That proves nothing.
    for _ in 0..10 {
        let server = Server::start(|listener| serve(listener, patience()));
        let client = server.connect();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let dripping = thread::spawn(move || drip(client, &stopped));
        let mut good = server.connect();
        good.get("/");
        let response = good.response(format_args!(
            "an answer, although the client before it sends a byte now and then: {:?} are for \
             the whole request",
            patience()
        ));
        check(
            response.status == 200,
            format_args!("the response has the status {}", response.status),
            "200",
        );
        stop.store(true, Ordering::SeqCst);
        if dripping.join().expect("a client does not panic") < patience() {
            return;
        }
    }
}

fn a_slow_client_has_its_patience() {
    let server = Server::start(|listener| serve(listener, 100 * deadline()));
    let mut slow = server.connect();
    slow.send("GET / HTTP/1.1\r\n");
    let ended = slow.hears_within(2 * patience());
    let seen = "the server gave a client up long before its `patience` was over";
    check(
        !ended,
        seen,
        "`patience` to decide; look for a time that you have written into the code",
    );
    slow.send("\r\n");
    slow.response("an answer to a client that was slow, but not too slow");
}
