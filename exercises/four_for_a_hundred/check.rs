//! A hundred clients wait at the same time, and no thread waits for each of them.

use ex_four_for_a_hundred::serve;
use exercise_kit::{Database, Server, check, threads_begun};

exercise_kit::checks![a_hundred_clients_wait_at_the_same_time];

const CLIENTS: usize = 100;

/// Four, and a few for a runtime's own needs.
const MOST_THREADS: usize = 10;

fn a_hundred_clients_wait_at_the_same_time() {
    let before = threads_begun();
    let database = Database::start(usize::MAX);
    let address = database.address;
    let server = Server::start(move |listener| serve(listener, address));
    let mut clients: Vec<_> = (0..CLIENTS).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let all = database.gate.wait_for_entered(CLIENTS);
    let seen = format!(
        "at most {} clients waited for the database at the same time",
        database.gate.most()
    );
    check(
        all,
        seen,
        format_args!(
            "{CLIENTS} at the same time; look for a call that holds its thread while it waits"
        ),
    );
    if let (Some(before), Some(after)) = (before, threads_begun()) {
        let seen = format!("the server began {} threads for {CLIENTS} clients", after - before);
        let expected = format!("four, or a few more (at most {MOST_THREADS})");
        check((4..=MOST_THREADS).contains(&(after - before)), seen, expected);
    }
    database.gate.open();
    for mut client in clients {
        let response = client.response("a response to each of a hundred clients");
        check(
            response.status == 200,
            format_args!("the response has the status {}", response.status),
            "200",
        );
    }
}
