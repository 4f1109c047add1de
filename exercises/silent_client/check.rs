//! A client that says nothing, or half a word, stands before one that asks properly.

use std::time::Duration;

use ex_silent_client::serve;
use exercise_kit::{Server, check, deadline};

/// Long enough for a client that means it, and short enough for a check to wait for its end.
fn patience() -> Duration {
    deadline() / 8
}

fn a_good_client_behind(said: &str) {
    let server = Server::start(|listener| serve(listener, patience()));
    let mut silent = server.connect();
    silent.send(said);
    let mut good = server.connect();
    good.get("/");
    let response = good.response(format_args!(
        "an answer, {:?} after the client before it has connected, said {said:?} and fallen silent",
        patience()
    ));
    check(response.status == 200, format_args!("the status {}", response.status), "200");
    check(silent.is_closed(), "the silent client's connection is open", "that it is closed");
}

#[test]
fn a_client_is_served() {
    let server = Server::start(|listener| serve(listener, patience()));
    for _ in 0..3 {
        let mut client = server.connect();
        client.get("/");
        client.response("an answer");
    }
}

#[test]
fn a_silent_client_does_not_hold_the_next_one_for_ever() {
    a_good_client_behind("");
}

#[test]
fn nor_does_one_that_says_half_a_word() {
    a_good_client_behind("GET / HT");
}
