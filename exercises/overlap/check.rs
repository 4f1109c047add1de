//! The handler answers no client before two handlers run at the same time.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    thread,
};

use ex_overlap::serve;
use exercise_kit::{Gate, Server, answer, check};

exercise_kit::checks![two_requests_overlap, so_do_twenty, each_connection_has_its_own_thread];

/// Lets `count` clients ask, and answers them when all are being handled.
fn together(count: usize) {
    let gate = Arc::new(Gate::new(count));
    let inside = Arc::clone(&gate);
    let server = Server::start(move |listener| {
        serve(listener, move |stream| {
            inside.pass();
            answer(&stream, "together\n");
        });
    });
    let mut clients: Vec<_> = (0..count).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let opened = gate.wait();
    let seen = format!(
        "the server handled at most {} at the same time, in all the time that a check has",
        gate.most()
    );
    check(
        opened,
        seen,
        format_args!(
            "{count} requests handled at the same time; look at what the loop waits for before it \
             accepts again"
        ),
    );
    for mut client in clients {
        client.response("an answer to each");
    }
}

fn two_requests_overlap() {
    together(2);
}

fn so_do_twenty() {
    together(20);
}

fn each_connection_has_its_own_thread() {
    const CLIENTS: usize = 30;
    let threads: Arc<Mutex<HashSet<_>>> = Arc::default();
    let seen = Arc::clone(&threads);
    let server = Server::start(move |listener| {
        serve(listener, move |stream| {
            seen.lock().expect("nobody panics").insert(thread::current().id());
            answer(&stream, "alone\n");
        });
    });
    // One after the other, so that a thread that is free could serve the next.
    for _ in 0..CLIENTS {
        let mut client = server.connect();
        client.get("/");
        client.response("an answer to each");
    }
    let threads = threads.lock().expect("nobody panics").len();
    check(
        threads == CLIENTS,
        format_args!("the server began {threads} threads for {CLIENTS} connections"),
        "one for each connection",
    );
}
