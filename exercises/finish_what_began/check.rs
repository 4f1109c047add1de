//! A server stops while five clients wait for the database, and another while its client is idle.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
};

use ex_finish_what_began::serve;
use exercise_kit::{Database, Server, a_moment, check, comes_true};
use tokio_util::sync::CancellationToken;

exercise_kit::checks![who_is_being_served_gets_an_answer];

/// A server, and what tells it to stop.
fn start(database: SocketAddr) -> (Server, CancellationToken) {
    let stop = CancellationToken::new();
    let told = stop.clone();
    (Server::start(move |listener| serve(listener, database, told)), stop)
}

fn who_is_being_served_gets_an_answer() {
    let database = Database::start(usize::MAX);
    let gate = database.gate;
    let (server, stop) = start(database.address);
    let (idle, stop_idle) = start(database.address);
    let mut clients: Vec<_> = (0..5).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let all = gate.wait_for_entered(5);
    check(
        all,
        format_args!("the database got {} questions", gate.entered()),
        "five, open at the same time",
    );
    // The one with the idle client is stopped last. When it has ended, a time that both wait for is over in the first as well.
    stop.cancel();
    stop_idle.cancel();
    let ended = comes_true(|| idle.end().is_some());
    check(
        ended,
        "the stop came, the server had nothing to do, and it went on",
        "`serve` to return; look at what it waits for",
    );
    a_moment();
    check(
        server.end().is_none(),
        "`serve` returned while it served five clients",
        "it to wait for them rather than for a time",
    );
    // It may be refused or wait in vain, but it must not be served.
    let mut newcomer = TcpStream::connect(server.address());
    if let Ok(newcomer) = &mut newcomer {
        let _ = newcomer.write_all(b"GET / HTTP/1.1\r\n\r\n");
    }
    a_moment();
    let seen = format!("the database got {} questions, one of them after the stop", gate.entered());
    check(gate.entered() == 5, seen, "five: the server takes no client that comes after the stop");
    gate.open();
    for (number, mut client) in clients.into_iter().enumerate() {
        client.response(format_args!(
            "a response to client {} of 5, which was being served when the stop came",
            number + 1
        ));
    }
    let ended = comes_true(|| server.end().is_some());
    check(
        ended,
        "all clients had their responses, and the server went on",
        "`serve` to return; look at what it waits for",
    );
}
