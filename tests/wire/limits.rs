//! The limits: how large a head may be, how much is drained, and how long a client may take.

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, End, Rung, Shown,
    cases::{
        HTML, INDEX, ask, check_ok, check_refusal,
        limits::{bounds_what_it_drains, limits_the_head},
        still_answers,
    },
    for_each_server, join_all,
};
use site::HEAD_TIME;

for_each_server! {
    every: [limits_the_head, bounds_what_it_drains]
    every_slow: [
        limits_the_time,
        limits_the_time_behind_a_request,
        tells_a_client_whose_head_is_late,
    ]
}

/// Checks that no limit of time was over too early.
fn took_its_time(rung: Rung, start: Instant) {
    // Timers may be a little early; nobody may be early by a tenth of a second. actix-web's clock has ticks of 0.5 s.
    let early = if rung.name == "actix_site" { 600 } else { 100 };
    let least = HEAD_TIME - Duration::from_millis(early);
    assert!(start.elapsed() >= least, "the limit was over after {:?}", start.elapsed());
}

/// Each experiment has its own server, and all run side by side: rung 1 serves only one client at a time.
fn tells_a_client_whose_head_is_late(rung: Rung) {
    let timeout = (408, "Request Timeout");
    let half_a_head = |flags: &[&str]| {
        let server = rung.start(flags);
        let start = Instant::now();
        let mut client = Client::connect(&server);
        client.send("GET / HTTP/1.1\r\nHost: a\r\n");
        check_refusal(&mut client, timeout);
        took_its_time(rung, start);
        still_answers(&server);
    };
    let a_byte_now_and_then = || {
        // Each byte comes in good time. The head as a whole does not: the limit is for the head.
        let server = rung.start(&[]);
        let start = Instant::now();
        let mut client = Client::connect(&server);
        client.send("GET / HTTP/1.1\r\nX: ");
        while !client.hears_within(Duration::from_millis(300)) {
            assert!(start.elapsed() < 4 * HEAD_TIME, "nothing came for {:?}", start.elapsed());
            // It fails if the server was just about to answer.
            let _ = client.try_send("x");
        }
        let (answer, _) = client.rest();
        assert!(answer.starts_with(b"HTTP/1.1 408 "), "a 408, not {}", Shown(&answer));
        took_its_time(rung, start);
        still_answers(&server);
    };
    thread::scope(|scope| {
        join_all(vec![
            scope.spawn(|| half_a_head(&[])),
            scope.spawn(|| half_a_head(&["--keep-alive"])),
            scope.spawn(a_byte_now_and_then),
        ]);
    });
}

fn limits_the_time(rung: Rung) {
    let silence = || {
        let server = rung.start(&[]);
        let start = Instant::now();
        turned_away(&mut Client::connect(&server), false);
        took_its_time(rung, start);
        still_answers(&server);
    };
    let an_idle_kept_connection = || {
        let server = rung.start(&["--keep-alive"]);
        let mut client = Client::connect(&server);
        let start = Instant::now();
        client.get("/");
        check_ok(&client.response(), HTML, INDEX, None);
        client.ends();
        took_its_time(rung, start);
        still_answers(&server);
    };
    thread::scope(|scope| {
        join_all(vec![
            scope.spawn(silence),
            scope.spawn(an_idle_kept_connection),
            scope.spawn(|| gives_up_a_slow_reader(rung)),
        ]);
    });
}

/// Half a head right behind a whole request: its time runs as any other's.
fn limits_the_time_behind_a_request(rung: Rung) {
    let server = rung.start(&["--keep-alive"]);
    let start = Instant::now();
    let mut client = Client::connect(&server);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n");
    check_ok(&client.response(), HTML, INDEX, None);
    turned_away(&mut client, true);
    took_its_time(rung, start);
    still_answers(&server);
}

/// Checks how a client ends whose time is over. Our own servers answer a client that has said something, and close
/// quietly where it has not. The contract lets a server do either, and libraries do.
fn turned_away(client: &mut Client, said_something: bool) {
    if client.server.library.is_some() {
        let (answer, end) = client.rest();
        let is_fine = answer.is_empty() || answer.starts_with(b"HTTP/1.1 408 ");
        assert!(is_fine, "a 408 or nothing, not {}", Shown(&answer));
        assert_eq!(end, End::Closed, "how the connection ended");
    } else if said_something {
        check_refusal(client, (408, "Request Timeout"));
    } else {
        client.ends();
    }
}

/// Clients that ask much and read nothing: the server's writes block, up to their limit.
fn gives_up_a_slow_reader(rung: Rung) {
    let is_on_a_framework = rung.kind == records::servers::Kind::Framework;
    if is_on_a_framework && !cfg!(target_os = "linux") {
        // Frameworks leave this to the kernel, and only Linux does it.
        return;
    }
    let mut server = rung.start(&["--keep-alive"]);
    // A runtime opens files of its own when it serves its first client.
    assert_eq!(ask(&server, "/file").status, 200);
    #[cfg(target_os = "linux")]
    let before = server.open_sockets();
    // Each asks a little more than the one before, so that they do not all stop at the same answer.
    let several = if rung.serves_beside_waiting_clients() { 16 } else { 0 };
    let others: Vec<Client> = (0..several)
        .map(|number| {
            let mut client = Client::connect_with_small_buffers(&server);
            client.flood(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 3000 + 100 * number);
            client
        })
        .collect();
    let mut slow = Client::connect_with_small_buffers(&server);
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    let most = 64 * 1024 * 1024;
    let sent = slow.flood(requests.as_bytes(), most);
    assert!(
        sent < most,
        "the server took {sent} bytes of requests from a client that reads nothing"
    );
    still_answers(&server);
    // In the end the server gives this client up: its buffer stays full until then.
    // Now and then the kernel takes a little more from the server, and each time its five seconds begin anew.
    let start = Instant::now();
    let patiently = |what: &str, mut given_up: Box<dyn FnMut() -> bool + '_>| {
        while !given_up() {
            assert!(start.elapsed() < Duration::from_secs(180), "still connected: {what}");
            thread::sleep(Duration::from_millis(100));
        }
    };
    patiently("a client that reads nothing", Box::new(|| slow.is_given_up()));
    #[cfg(target_os = "linux")]
    patiently("some of the clients", Box::new(|| server.open_sockets() <= before));
    drop(others);
    still_answers(&server);
    assert!(server.is_running());
}
