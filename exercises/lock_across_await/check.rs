//! The database answers no client before all clients' questions are open.

use ex_lock_across_await::serve;
use exercise_kit::{Database, Server, check};

exercise_kit::checks![many_questions_are_open_at_the_same_time];

fn many_questions_are_open_at_the_same_time() {
    let count = 10;
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
        format_args!("{count} questions open at the same time; look at what the other tasks await"),
    );
    let mut numbers: Vec<String> = clients
        .into_iter()
        .map(|mut client| {
            let body = client.response("a response to each client").body;
            let right = body.ends_with("answer to GET / HTTP/1.1\n");
            check(
                right,
                format_args!("a client got {body:?}"),
                "the database's answer to this client",
            );
            body.split(':').next().unwrap_or_default().to_owned()
        })
        .collect();
    numbers.sort();
    let mut expected: Vec<String> = (1..=count).map(|number| format!("visitor {number}")).collect();
    expected.sort();
    check(
        numbers == expected,
        format_args!("the visitors got the numbers {numbers:?}"),
        "a number for each visitor, never the same",
    );
}
