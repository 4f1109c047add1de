//! The limits: how large a head may be, how much is drained, and how long a client may take.

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, Rung,
    cases::{
        ask,
        limits::{
            self, asks_and_reads_nothing, bounds_a_client_that_reads_nothing,
            bounds_what_it_drains, ends_an_idle_kept_connection, limits_the_head,
            limits_the_time_of_a_whole_head, states_its_length, turns_a_silent_client_away,
        },
        still_answers,
    },
    for_each_server, join_all,
};

for_each_server! {
    every: [limits_the_head, bounds_what_it_drains, states_its_length]
    every_slow: [
        bounds_a_client_that_reads_nothing,
        limits_the_time,
        limits_the_time_behind_a_request,
        tells_a_client_whose_head_is_late,
    ]
}

/// Each experiment has its own server, and all run side by side: rung 1 serves only one client at a time.
fn tells_a_client_whose_head_is_late(rung: Rung) {
    let half_a_head = |flags: &[&str]| {
        limits::tells_a_client_whose_head_is_late(&rung.start(flags));
    };
    thread::scope(|scope| {
        join_all(vec![
            scope.spawn(|| half_a_head(&[])),
            scope.spawn(|| half_a_head(&["--keep-alive"])),
            scope.spawn(|| limits_the_time_of_a_whole_head(&rung.start(&[]))),
        ]);
    });
}

fn limits_the_time(rung: Rung) {
    thread::scope(|scope| {
        join_all(vec![
            scope.spawn(|| turns_a_silent_client_away(&rung.start(&[]))),
            scope.spawn(|| ends_an_idle_kept_connection(&rung.start(&["--keep-alive"]))),
            scope.spawn(|| gives_up_a_slow_reader(rung)),
        ]);
    });
}

fn limits_the_time_behind_a_request(rung: Rung) {
    limits::limits_the_time_behind_a_request(&rung.start(&["--keep-alive"]));
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
    let mut slow = asks_and_reads_nothing(&server);
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
