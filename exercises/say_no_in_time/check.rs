//! A server with two permits, and clients that are silent, sleep, or get no permit.

use std::time::{Duration, Instant};

use ex_say_no_in_time::serve;
use exercise_kit::{Client, Server, check, comes_true};

exercise_kit::checks![
    silent_clients_hold_no_permit,
    a_client_is_served_when_a_permit_is_free_in_time,
    a_client_without_a_permit_is_refused,
];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// Much shorter than a sleep, which is two seconds long.
const SHORT: Duration = Duration::from_millis(100);

fn start(patience: Duration) -> Server {
    Server::start(move |listener| serve(listener, 2, patience))
}

/// Two clients that sleep, and have had the time to take both permits.
fn two_asleep(server: &Server) -> Vec<Client> {
    let mut clients: Vec<Client> = (0..2).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| client.get("/sleep"));
    clients[1].hears_within(SHORT);
    clients
}

/// The status of the answer to a new client.
#[track_caller]
fn ask(server: &Server, expected: &str) -> u16 {
    let mut client = server.connect();
    client.get("/");
    client.response(expected).status
}

fn silent_clients_hold_no_permit() {
    let server = start(SHORT);
    let _silent: Vec<Client> = (0..2).map(|_| server.connect()).collect();
    let expected = "200 while two clients are silent; look at when a client takes its permit";
    let status = ask(&server, expected);
    check(status == 200, format_args!("the response has the status {status}"), expected);
}

fn a_client_is_served_when_a_permit_is_free_in_time() {
    let server = start(AN_HOUR);
    let _asleep = two_asleep(&server);
    let expected = "200 for a client whose permit becomes free while it is patient";
    let status = ask(&server, expected);
    check(status == 200, format_args!("the response has the status {status}"), expected);
}

fn a_client_without_a_permit_is_refused() {
    let server = start(SHORT);
    let expected = "503 for a client that gets no permit; look at how long each permit lives";
    let mut status = 0;
    let mut closed = false;
    let mut took = Duration::MAX;
    // Again where the machine has stalled for as long as a sleep.
    comes_true(|| {
        let asleep = two_asleep(&server);
        let start = Instant::now();
        let mut client = server.connect();
        client.get("/");
        status = client.response(expected).status;
        took = start.elapsed();
        closed = client.is_closed();
        for mut client in asleep {
            let status = client.response("a response to a client that sleeps").status;
            check(
                status == 200,
                format_args!("the response has the status {status}"),
                "200 for each of the two that have a permit",
            );
        }
        status == 503 && closed && took < 10 * SHORT
    });
    check(status == 503, format_args!("the response has the status {status}"), expected);
    check(closed, "the connection stayed open after its 503", "its end");
    let seen = format!("the 503 came only after {took:?}");
    check(took < 10 * SHORT, seen, format_args!("after {SHORT:?}, the patience of this server"));
    let status = ask(&server, "200 once there are permits again");
    check(
        status == 200,
        format_args!("the response has the status {status}"),
        "200 once there are permits again",
    );
}
