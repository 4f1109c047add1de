//! Clients that are silent, sleep, leave in the middle or are served, and one that asks how many are inside.

use ex_clients_inside::serve;
use exercise_kit::{Server, check, comes_true};

exercise_kit::checks![
    one_client_is_alone,
    all_who_wait_are_inside,
    who_has_left_is_not,
    nor_is_one_whose_task_has_panicked,
];

fn start() -> Server {
    Server::start(|listener| {
        let _ = async_std::task::block_on(serve(listener.into()));
    })
}

fn ask(server: &Server) -> String {
    let mut client = server.connect();
    client.get("/");
    client.response("a response to each client").body
}

/// Fails unless the server says this soon: it may hear of the others after the one that asks.
#[track_caller]
fn check_says(server: &Server, expected: &str, when: &str) {
    let mut said = String::new();
    comes_true(|| {
        said = ask(server);
        said == expected
    });
    check(
        said == expected,
        format_args!("the server said {said:?} {when}"),
        format_args!("{expected:?}; look at where the number goes up, and what takes it down"),
    );
}

fn one_client_is_alone() {
    check_says(&start(), "1 inside\n", "while nobody else is there");
}

fn all_who_wait_are_inside() {
    let server = start();
    let _silent: Vec<_> = (0..3).map(|_| server.connect()).collect();
    let mut half = server.connect();
    half.send("GET / HT");
    check_says(&server, "5 inside\n", "while four others are connected");
}

fn who_has_left_is_not() {
    let server = start();
    let mut half = server.connect();
    half.send("GET / HT");
    let silent = server.connect();
    let mut asleep = server.connect();
    asleep.get("/sleep");
    check_says(&server, "4 inside\n", "while three others are connected");
    drop(half);
    drop(silent);
    asleep.response("a response after the sleep");
    check_says(&server, "1 inside\n", "when all others have left");
}

fn nor_is_one_whose_task_has_panicked() {
    let server = start();
    let mut client = server.connect();
    client.get("/panic");
    let closed = client.is_closed();
    check(
        closed,
        "the connection stayed open after a panic",
        "the connection to end with its task",
    );
    check_says(&server, "1 inside\n", "after the task of a client has panicked");
}
