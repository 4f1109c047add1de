//! The page on both directions of a connection: who stands still, what a relay passes on, where a message ends, and what
//! becomes of a room in which one member stops reading.

use std::{
    fs,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
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

/// A server that refuses each upload: it answers, and closes with nearly all of it unread.
fn refuses_uploads() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            stream.read_exact(&mut [0]).expect("the upload begins");
            // Until it fills all buffers.
            thread::sleep(Duration::from_millis(20));
            let _ = stream.write_all(b"refused");
        }
    });
    address
}

/// What a client reads while it sends 16 MB.
fn uploads(to: SocketAddr) -> String {
    let stream = TcpStream::connect(to).expect("it listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("it is connected");
    let mut received = Vec::new();
    thread::scope(|scope| {
        // Fails when the upload is refused, and so may the read behind the answer.
        scope.spawn(|| (&stream).write_all(&vec![b'x'; 16_000_000]));
        let _ = (&stream).read_to_end(&mut received);
    });
    String::from_utf8_lossy(&received).into_owned()
}

/// Other systems throw away what came before a reset, so there the answer is lost without a relay too.
#[cfg(target_os = "linux")]
#[test]
fn a_relay_that_gives_up_both_directions_may_lose_an_answer() {
    let server = refuses_uploads();
    for _ in 0..20 {
        assert_eq!(uploads(server), "refused", "without a relay");
    }
    for name in ["relay", "relay_copy"] {
        let relay = step(name).start(&["--to", &server.port().to_string()]);
        let mut answers = (0..300).map(|_| uploads(relay.address));
        assert!(answers.any(|answer| answer.is_empty()), "{name} has lost none");
    }
}

/// Whether the page shows what this program prints.
#[track_caller]
fn is_shown(name: &str) {
    let finished = run(&mut example(name), DEADLINE);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let page = fs::read_to_string(root().join("book/two-directions.md")).expect("it is there");
    let shown = format!("$ cargo run --example {name}\n{}```", finished.stdout);
    assert!(page.contains(&shown), "the page doesn't show:\n{shown}");
}

#[test]
fn each_way_finds_the_same_messages() {
    is_shown("frames");
}

/// By hand and by a codec, each misses another cut.
#[test]
fn a_sender_that_leaves_too_early_may_look_like_an_end() {
    is_shown("frames_cut");
}

#[test]
fn only_the_owned_half_ends_its_direction_when_it_is_dropped() {
    is_shown("halves");
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

/// Joins a room, and returns when it is in.
fn joins(room: &Server) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(room.address).expect("the room listens");
    stream.set_read_timeout(Some(Duration::from_secs(1))).expect("it is connected");
    let mut member = BufReader::new(stream);
    member.read_line(&mut String::new()).expect("it is in");
    member
}

/// Reads until it is closed, or hears nothing for a second: whether it is still in the room.
fn reads(mut member: BufReader<TcpStream>) -> bool {
    loop {
        match member.read_line(&mut String::new()) {
            Ok(0) => return false,
            Ok(_line) => {}
            Err(error) => {
                return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            }
        }
    }
}

/// Whether a member who reads all the time is still there when somebody has said 1,000 lines at once.
fn stays_in_a_burst(room: &Server) -> bool {
    let reader = joins(room);
    let talker = joins(room);
    let mut writer = talker.get_ref().try_clone().expect("it is connected");
    thread::scope(|scope| {
        let reader = scope.spawn(move || reads(reader));
        scope.spawn(move || reads(talker));
        // Fails when the talker itself is closed.
        let _ = writer.write_all("hi\n".repeat(1000).as_bytes());
        reader.join().expect("it doesn't panic")
    })
}

/// A full queue is no proof that its member is slow.
#[test]
fn a_burst_may_close_a_member_who_reads() {
    let room = step("room_close").start(&[]);
    assert!((0..50).any(|_| !stays_in_a_burst(&room)), "nobody was closed");
    // Neither of the other rooms closes anybody.
    let room = step("room_drop").start(&[]);
    assert!((0..3).all(|_| stays_in_a_burst(&room)), "somebody was closed");
}

#[test]
fn a_room_that_drops_serves_the_others_and_counts_what_is_lost() {
    let (talker, silent, missed, end) = in_the_room("room_drop");
    assert_eq!(talker, LINES);
    assert!(missed > 0, "nothing was lost");
    assert_eq!(silent + missed, LINES);
    assert_eq!(end, "is still in the room");
}
