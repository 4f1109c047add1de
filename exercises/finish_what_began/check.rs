//! The server is told to stop while five clients wait for the database.

use std::{
    thread,
    time::{Duration, Instant},
};

use ex_finish_what_began::serve;
use exercise_kit::{Database, Server, check, comes_true};
use tokio_util::sync::CancellationToken;

#[test]
fn who_is_being_served_gets_an_answer() {
    let database = Database::start(usize::MAX);
    let (address, gate) = (database.address, database.gate);
    let stop = CancellationToken::new();
    let told = stop.clone();
    let server = Server::start(move |listener| serve(listener, address, told));
    let mut clients: Vec<_> = (0..5).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let all = gate.wait_for_entered(5);
    check(all, format_args!("{} questions to the database", gate.entered()), "five");
    stop.cancel();
    // A server that does not wait is gone in this time.
    let start = Instant::now();
    while server.end().is_none() && start.elapsed() < Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(5));
    }
    gate.open();
    for (number, mut client) in clients.into_iter().enumerate() {
        client.response(format_args!(
            "an answer to client {} of 5, which was being served when the server was told to stop",
            number + 1
        ));
    }
    let ended = comes_true(|| server.end().is_some());
    check(ended, "a server that goes on when all is done", "that `serve` returns");
}

#[test]
fn an_idle_server_ends_at_once() {
    let stop = CancellationToken::new();
    let told = stop.clone();
    let database = Database::start(1).address;
    let server = Server::start(move |listener| serve(listener, database, told));
    stop.cancel();
    let ended = comes_true(|| server.end().is_some());
    check(ended, "a server that goes on with nothing to do", "that `serve` returns");
}
