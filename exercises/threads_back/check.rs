//! Clients that are silent, that sleep and that wait for a file, more than there are threads; and one that does not wait.

use std::{sync::Arc, time::Duration};

use ex_threads_back::serve;
use exercise_kit::{Client, Gate, Server, check};

exercise_kit::checks![
    silent_clients_hold_no_thread,
    sleeping_clients_hold_no_thread,
    a_file_that_is_read_holds_no_thread,
    who_slept_is_answered,
];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// More than the executor has threads.
const CLIENTS: usize = 8;

/// A server whose disk answers when the gate is open.
fn start(pause: Duration) -> (Server, Arc<Gate>) {
    let gate = Arc::new(Gate::new(usize::MAX));
    let disk = Arc::clone(&gate);
    let read_file = Arc::new(move || {
        disk.pass();
        "from a file\n".to_owned()
    });
    (Server::start(move |listener| serve(listener, pause, read_file)), gate)
}

fn ask(server: &Server, target: &str) -> Client {
    let mut client = server.connect();
    client.get(target);
    client
}

#[track_caller]
fn check_hello(server: &Server, when: &str) {
    let mut client = ask(server, "/");
    let heard = client.hears_within(exercise_kit::deadline());
    check(heard, format_args!("no response to a client that asks for /, {when}"), "one, at once");
}

fn silent_clients_hold_no_thread() {
    let (server, _gate) = start(AN_HOUR);
    let _silent: Vec<Client> = (0..CLIENTS).map(|_| server.connect()).collect();
    check_hello(&server, "while eight clients are silent");
}

fn sleeping_clients_hold_no_thread() {
    let (server, _gate) = start(AN_HOUR);
    let _asleep: Vec<Client> = (0..CLIENTS).map(|_| ask(&server, "/sleep")).collect();
    check_hello(&server, "while eight clients sleep");
}

fn a_file_that_is_read_holds_no_thread() {
    let (server, gate) = start(AN_HOUR);
    let waiting: Vec<Client> = (0..CLIENTS).map(|_| ask(&server, "/file")).collect();
    check_hello(&server, "while eight clients wait for their file");
    gate.open();
    for mut client in waiting {
        let body = client.response("the file").body;
        check(body == "from a file\n", format_args!("{body:?}"), "\"from a file\"");
    }
}

fn who_slept_is_answered() {
    let (server, _gate) = start(Duration::from_millis(100));
    let mut asleep: Vec<Client> = (0..CLIENTS).map(|_| ask(&server, "/sleep")).collect();
    for client in &mut asleep {
        let body = client.response("a response after the pause").body;
        check(body == "hello\n", format_args!("{body:?}"), "\"hello\"");
    }
}
