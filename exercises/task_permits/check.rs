//! Twelve clients, three permits: the database sees three questions at a time.

use ex_task_permits::serve;
use exercise_kit::{Database, Server, a_moment, check};

exercise_kit::checks![
    the_database_sees_three_questions_at_a_time,
    who_has_not_asked_holds_no_permit,
];

fn the_database_sees_three_questions_at_a_time() {
    let database = Database::start(usize::MAX);
    let address = database.address;
    let gate = database.gate;
    let server = Server::start(move |listener| serve(listener, address, 3));
    let mut clients: Vec<_> = (0..12).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/"));
    let three = gate.wait_for_entered(3);
    check(
        three,
        format_args!("the database had at most {} questions at the same time", gate.inside()),
        "three, for three permits; look at where the permit is taken",
    );
    // For a question too many to show itself. A right solution is not hurried by it.
    a_moment();
    let seen = format!("the database had {} questions open at the same time", gate.most());
    check(
        gate.most() == 3,
        seen,
        "never more than three, for three permits; look at how long each permit lives",
    );
    gate.open();
    for mut client in clients {
        let response = client.response("a response to each of the twelve clients");
        check(
            response.status == 200,
            format_args!("the response has the status {}", response.status),
            "200",
        );
    }
    check(
        gate.entered() == 12,
        format_args!("the database got {} questions in all", gate.entered()),
        "twelve",
    );
}

fn who_has_not_asked_holds_no_permit() {
    let database = Database::start(usize::MAX);
    let address = database.address;
    database.gate.open();
    let server = Server::start(move |listener| serve(listener, address, 3));
    let _silent: Vec<_> = (0..3).map(|_| server.connect()).collect();
    let mut client = server.connect();
    client.get("/");
    client.response(
        "a response beside three silent clients: tasks wait for a permit, not the server",
    );
}
