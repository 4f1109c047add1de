//! The database answers no client before all clients' questions are open.

use ex_blocking_call::serve;
use exercise_kit::{Database, Server, check, threads_begun};

/// One for all tasks, and a few for the reactor.
const MOST_THREADS: usize = 10;

exercise_kit::checks![two_clients_wait_side_by_side, so_do_fifty];

fn questions_at_once(count: usize) {
    let before = threads_begun();
    let database = Database::start(count);
    let address = database.address;
    let server = Server::start(move |listener| serve(listener, address));
    let mut clients: Vec<_> = (0..count).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let opened = database.gate.wait();
    let seen =
        format!("the database never had more than {} of the questions open", database.gate.most());
    check(
        opened,
        seen,
        format_args!(
            "{count} questions open at the same time; look for the call that waits without an \
             `.await`"
        ),
    );
    if let (Some(before), Some(after)) = (before, threads_begun()) {
        let seen = format!("the server began {} threads for {count} clients", after - before);
        let expected = "the tasks to wait, and no thread for each (at most ten threads in all)";
        check(after - before <= MOST_THREADS, seen, expected);
    }
    for mut client in clients {
        let response = client.response("the database's answer to each client");
        let right = response.body.contains("answer to GET / HTTP/1.1");
        check(
            right,
            format_args!("the response is {:?}", response.body),
            "the database's answer to this client",
        );
    }
}

fn two_clients_wait_side_by_side() {
    questions_at_once(2);
}

fn so_do_fifty() {
    questions_at_once(50);
}
