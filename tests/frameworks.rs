//! What the page on frameworks claims: what a tutorial's server does with a client that says nothing, and whom a task
//! that computes holds up.

use std::{thread, time::Duration};

use ladder_tests::{Client, Launch, Rung, Server, conclusive, wait_until};
use site::HEAD_TIME;

/// How long to watch a connection that is expected to stay: three times what the contract allows.
const PATIENCE: Duration = Duration::from_secs(15);

/// A client that says nothing, one that has said half a head, and one that was answered and says nothing more.
fn silent_clients(server: &Server) -> [Client; 3] {
    let mut answered = Client::asking(server, "/").unwrap();
    assert_eq!(answered.response().unwrap().status, 200);
    [Client::connect(server).unwrap(), Client::half_open(server).unwrap(), answered]
}

/// How many of them the server of this one's tutorial is rid of after [`PATIENCE`].
fn turned_away(name: &str) -> usize {
    let server = Launch::tutorial_of(Rung::named(name)).start();
    let mut clients = silent_clients(&server);
    thread::sleep(PATIENCE);
    let heard = clients.iter_mut().map(|client| client.hears_within(Duration::from_millis(1)));
    heard.filter(|heard| *heard).count()
}

#[ignore = "slow"]
#[test]
fn the_tutorials_of_hyper_and_axum_wait_for_a_silent_client() {
    thread::scope(|scope| {
        let waits =
            ["hyper_site", "axum_site"].map(|name| scope.spawn(move || (name, turned_away(name))));
        for outcome in waits {
            let (name, turned_away) = outcome.join().expect("its own panic stands above");
            assert_eq!(turned_away, 0, "{name}");
        }
    });
}

#[ignore = "slow"]
#[test]
fn the_tutorial_of_actix_turns_a_silent_client_away() {
    assert_eq!(turned_away("actix_site"), 3);
}

#[ignore = "slow"]
#[test]
fn actix_site_writes_a_line_about_each_request() {
    let server = Rung::named("actix_site").start(&["--log"]);
    assert_eq!(Client::asking(&server, "/sleep?ms=10").unwrap().response().unwrap().status, 200);
    wait_until("the line is there", || server.stderr().contains("GET /sleep?ms=10 HTTP/1.1"));
}

/// The number of connections of the server's side: each is a descriptor.
#[cfg(target_os = "linux")]
fn connections(server: &Server, before: usize) -> usize {
    server.open_sockets().saturating_sub(before)
}

/// Two hundred clients that say nothing: the tutorial's server keeps them all, and ours none.
#[cfg(target_os = "linux")]
#[ignore = "slow"]
#[test]
fn silent_clients_stay_on_the_tutorial_and_leave_ours() {
    let left = |launch: Launch| {
        let server = launch.start();
        let before = server.open_sockets();
        let clients: Vec<Client> = (0..200).map(|_| Client::connect(&server).unwrap()).collect();
        ladder_tests::wait_until("all are accepted", || connections(&server, before) >= 200);
        thread::sleep(PATIENCE);
        let left = connections(&server, before);
        drop(clients);
        left
    };
    thread::scope(|scope| {
        let tutorial = scope.spawn(|| left(Launch::tutorial_of(Rung::named("axum_site"))));
        let ours = scope.spawn(|| left(Rung::named("axum_site").launch()));
        assert_eq!(tutorial.join().expect("its own panic stands above"), 200);
        assert_eq!(ours.join().expect("its own panic stands above"), 0);
    });
}

/// The page argues with this: a task that computes holds its worker, and where each thread has its own clients, those
/// of that thread wait with it.
#[ignore = "slow"]
#[test]
fn one_that_computes_holds_the_clients_of_its_thread() {
    let server = Rung::named("hyper_per_core").launch_with_threads(1).start();
    conclusive(HEAD_TIME, || {
        let mut computing: Vec<Client> =
            (0..20).map(|_| Client::asking(&server, "/work?n=100000").unwrap()).collect();
        thread::sleep(Duration::from_millis(50));
        let mut waiting = Client::asking(&server, "/").unwrap();
        assert!(!waiting.hears_within(Duration::from_millis(20)), "answered while all compute");
        assert_eq!(waiting.response().unwrap().status, 200);
        computing.iter_mut().for_each(|client| assert_eq!(client.response().unwrap().status, 200));
    });
}
