//! Two workers and three slots: five clients have room, and the next are refused.

use std::sync::Arc;

use ex_turn_away::serve;
use exercise_kit::{Client, Gate, Server, answer, check};

exercise_kit::checks![
    a_client_without_room_is_told_so,
    a_client_with_room_is_served_and_there_is_room_again,
];

const NO_ROOM: &str = "the status 503 for a client that finds no room in the queue; look at what \
                       happens to its stream";

/// A server without room, the gate where its workers wait, and the five clients.
fn full() -> (Server, Arc<Gate>, Vec<Client>) {
    let gate = Arc::new(Gate::new(usize::MAX));
    let inside = Arc::clone(&gate);
    let server = Server::start(move |listener| {
        serve(listener, 2, 3, move |stream| {
            inside.pass();
            answer(stream, "done\n");
        });
    });
    let mut clients = Vec::new();
    for number in 1..=5 {
        let mut client = server.connect();
        client.get("/");
        clients.push(client);
        // From the third on they wait in the queue, because two have the workers.
        let begun = gate.wait_for_entered(usize::min(number, 2));
        check(
            begun,
            format_args!("the workers began {} requests", gate.entered()),
            "a request for each of the two workers",
        );
    }
    (server, gate, clients)
}

/// The status of the answer to a new client.
#[track_caller]
fn ask(server: &Server, expected: &str) -> u16 {
    let mut client = server.connect();
    client.get("/");
    client.response(expected).status
}

fn a_client_without_room_is_told_so() {
    let (server, gate, _clients) = full();
    for _ in 0..2 {
        let status = ask(&server, NO_ROOM);
        check(status == 503, format_args!("the response has the status {status}"), NO_ROOM);
    }
    gate.open();
}

fn a_client_with_room_is_served_and_there_is_room_again() {
    let (server, gate, clients) = full();
    ask(&server, NO_ROOM);
    gate.open();
    for mut client in clients {
        let status = client.response("a response to each client that had room").status;
        check(
            status == 200,
            format_args!("the response has the status {status}"),
            "200 for a client that had room",
        );
    }
    let expected = "the status 200 once there is room again; look at what becomes of the loop \
                    after a refusal";
    let status = ask(&server, expected);
    check(status == 200, format_args!("the response has the status {status}"), expected);
}
