//! Clients that are silent, that sleep and that wait for a file, more than there are threads; and one that does not wait.

use std::{sync::Arc, time::Duration};

use ex_threads_back::serve;
use exercise_kit::{Client, Gate, Server, check, threads_begun};

exercise_kit::checks![
    silent_clients_hold_no_thread,
    sleeping_clients_hold_no_thread,
    a_file_that_is_read_holds_no_thread,
    who_slept_is_answered,
];

/// Long enough that no check sees its end, however slow the machine is.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// The executor's four, the reactor's, and a few more.
const MOST_THREADS: usize = 16;

/// More than all of them, so that not each can have one.
const CLIENTS: usize = 2 * MOST_THREADS;

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
    check(
        heard,
        format_args!("a client that asks for / got no response {when}"),
        "a response at once; look for what holds the executor's threads",
    );
}

/// Fails unless there are the executor's threads, and the few more that serve all clients.
#[track_caller]
fn check_threads(before: Option<usize>, when: &str) {
    if let (Some(before), Some(after)) = (before, threads_begun()) {
        let expected = format!(
            "the executor's four, and a few more (at most {MOST_THREADS}), for all clients; look \
             for a call that holds a thread while a client waits"
        );
        let seen = format!("{} threads were begun {when}", after - before);
        check((4..=MOST_THREADS).contains(&(after - before)), seen, expected);
    }
}

fn silent_clients_hold_no_thread() {
    let before = threads_begun();
    let (server, _gate) = start(AN_HOUR);
    let _silent: Vec<Client> = (0..CLIENTS).map(|_| server.connect()).collect();
    check_hello(&server, "while 32 clients are silent");
    check_threads(before, "while 32 clients are silent");
}

fn sleeping_clients_hold_no_thread() {
    let before = threads_begun();
    let (server, _gate) = start(AN_HOUR);
    let mut asleep: Vec<Client> = (0..CLIENTS).map(|_| ask(&server, "/sleep")).collect();
    check_hello(&server, "while 32 clients sleep");
    check_threads(before, "while 32 clients sleep");
    let early = asleep.iter_mut().any(|client| client.hears_within(Duration::from_millis(1)));
    check(
        !early,
        "a client of /sleep got its response long before the pause was over",
        "it to pause",
    );
}

fn a_file_that_is_read_holds_no_thread() {
    let before = threads_begun();
    let (server, gate) = start(AN_HOUR);
    check_hello(&server, "while nobody else is there");
    // Now, because from here on a thread for each file is right.
    check_threads(before, "before a file was read");
    let waiting: Vec<Client> = (0..CLIENTS).map(|_| ask(&server, "/file")).collect();
    check_hello(&server, "while 32 clients wait for their file");
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
