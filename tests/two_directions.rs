//! The page on both directions of a connection: who stands still, what a relay passes on, where a message ends, and what
//! becomes of a room in which one member stops reading.

use std::{
    fs,
    io::Read,
    net::{Shutdown, TcpListener},
    time::Duration,
};

use ladder_tests::{Client, DEADLINE, Rung, Server, conclusive, example, root, run};

/// What the small server's `/sleep` waits.
const SLEEP: Duration = Duration::from_secs(2);

/// Some of the clients send and read 16 MB, in a debug build, on a machine that may do other things.
const MINUTES: Duration = Duration::from_secs(120);

/// How many lines the talker in `stops_reading` says.
const LINES: usize = 4000;

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

/// What a program prints that asks this server.
#[track_caller]
fn asks(client: &str, server: &Server) -> String {
    let port = server.address.port().to_string();
    let finished = run(example(client).args(["--port", &port]), MINUTES);
    assert_eq!(finished.code, Some(0), "{client}: {}", finished.stderr);
    finished.stdout
}

const ALL_CAME_BACK: &str = "16000 kB are sent, and 16000 kB came back\n";

#[test]
fn a_client_that_sends_all_before_it_reads_stands_still() {
    let server = step("tokio_echo").start(&[]);
    let said = asks("sends_first", &server);
    assert!(said.ends_with(" kB are sent, and nothing more for 3s\n"), "{said}");
}

#[test]
fn a_client_that_reads_while_it_sends_gets_all_back() {
    let server = step("tokio_echo").start(&[]);
    assert_eq!(asks("both_ways", &server), ALL_CAME_BACK);
    assert_eq!(asks("both_ways_threads", &server), ALL_CAME_BACK);
}

/// Two tasks in the server only add the room that is between them.
#[test]
fn a_queue_with_a_bound_stands_still_and_one_without_takes_all() {
    let bounded = step("echo_queue").start(&[]);
    let said = asks("sends_first", &bounded);
    assert!(said.ends_with(" kB are sent, and nothing more for 3s\n"), "{said}");
    let unbounded = step("echo_unbounded").start(&[]);
    assert_eq!(asks("sends_first", &unbounded), ALL_CAME_BACK);
}

/// A relay in front of this server.
fn relay(name: &'static str, server: &Server) -> Server {
    step(name).start(&["--to", &server.address.port().to_string()])
}

#[test]
fn a_relay_passes_on_both_directions_at_once() {
    let server = step("tokio_echo").start(&[]);
    for name in ["relay", "relay_copy"] {
        assert_eq!(asks("both_ways", &relay(name, &server)), ALL_CAME_BACK, "{name}");
    }
}

/// The client has said all that it will, and its answer comes later.
#[test]
fn the_end_of_one_direction_leaves_the_other_open() {
    let server = step("ch06_small").start(&[]);
    for name in ["relay", "relay_copy"] {
        let relay = relay(name, &server);
        let mut client = Client::connect(&relay).unwrap();
        client.get("/sleep").unwrap();
        client.finish_sending().unwrap();
        assert_eq!(client.response().unwrap().text(), "hello\n", "{name}");
        client.ends().unwrap();
    }
}

/// So does curl, which leaves its direction open.
#[test]
fn a_relay_that_ends_with_the_first_direction_loses_the_answer() {
    let server = step("ch06_small").start(&[]);
    let wrong = relay("relay_select", &server);
    let mut client = Client::asking(&wrong, "/sleep").unwrap();
    assert_eq!(client.response().unwrap().text(), "hello\n");
    conclusive(SLEEP, || {
        let mut client = Client::connect(&wrong).unwrap();
        client.get("/sleep").unwrap();
        client.finish_sending().unwrap();
        let (received, _) = client.rest().unwrap();
        assert_eq!(received, b"", "it was answered");
    });
}

/// The other way round: a server that has said all it will goes on reading.
#[test]
fn the_end_of_the_servers_direction_leaves_the_clients_open() {
    for name in ["relay", "relay_copy"] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port().to_string();
        let relay = step(name).start(&["--to", &port]);
        let mut client = Client::connect(&relay).unwrap();
        let (mut server, _) = listener.accept().expect("the relay connects");
        server.shutdown(Shutdown::Write).expect("it is connected");
        client.ends().unwrap();
        client.send("first").unwrap();
        client.finish_sending().unwrap();
        let mut received = String::new();
        server.read_to_string(&mut received).expect("the relay passes on what comes");
        assert_eq!(received, "first", "{name}");
    }
}

#[test]
fn each_way_finds_the_same_messages() {
    let finished = run(&mut example("frames"), DEADLINE);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let page = fs::read_to_string(root().join("book/two-directions.md")).expect("it is there");
    let shown = format!("$ cargo run --example frames\n{}```", finished.stdout);
    assert!(page.contains(&shown), "the page doesn't show:\n{shown}");
}

/// What the two members of a room have seen, one of which didn't read while the other talked.
#[track_caller]
fn in_the_room(name: &'static str) -> (usize, usize, usize, String) {
    let said = asks("stops_reading", &step(name).start(&[]));
    let words: Vec<&str> = said.split_whitespace().collect();
    let numbers: Vec<usize> =
        words.iter().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
    let [talker, all, silent, missed] = numbers[..] else { panic!("{name}: {said}") };
    assert_eq!(all, LINES, "{said}");
    let (_, end) = said.trim_end().rsplit_once(" and ").expect("it says how it ends");
    (talker, silent, missed, end.to_owned())
}

#[test]
fn a_room_that_waits_stands_still_with_its_slowest_member() {
    let (talker, silent, missed, end) = in_the_room("room_wait");
    assert!(talker < LINES, "the talker has heard all");
    assert!(silent >= talker, "{silent} lines for the one who waited, {talker} for the other");
    assert_eq!((missed, end.as_str()), (0, "is still in the room"));
}

#[test]
fn a_room_that_closes_serves_the_others() {
    let (talker, silent, missed, end) = in_the_room("room_close");
    assert_eq!(talker, LINES);
    assert!(silent < LINES, "it has heard all");
    assert_eq!((missed, end.as_str()), (0, "was closed"));
}

#[test]
fn a_room_that_drops_serves_the_others_and_counts_what_is_lost() {
    let (talker, silent, missed, end) = in_the_room("room_drop");
    assert_eq!(talker, LINES);
    assert!(missed > 0, "nothing was lost");
    assert_eq!(silent + missed, LINES);
    assert_eq!(end, "is still in the room");
}
