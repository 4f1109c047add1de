//! The handler answers no client before two handlers run at the same time.

use std::sync::Arc;

use ex_overlap::serve;
use exercise_kit::{Gate, Server, answer, check};

exercise_kit::checks![two_requests_overlap, so_do_twenty];

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
    let seen =
        format!("at most {} at the same time, in all the time that a check has", gate.most());
    check(opened, seen, format_args!("{count} requests that are handled at the same time"));
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
