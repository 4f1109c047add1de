//! The limits: how large a head may be, how much is drained, and how long a client may take.

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, Failure, On, Plain, Rung, Trials,
    cases::{
        Target, ask,
        limits::{
            self, asks_and_reads_nothing, bounds_a_client_that_reads_nothing,
            bounds_what_it_drains, ends_an_idle_kept_connection, limits_the_head,
            limits_the_time_of_a_whole_head, states_its_length, turns_a_silent_client_away,
        },
        still_answers,
    },
    ensure, side_by_side, tests,
};

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::Every,
        Plain::Three,
        tests![limits_the_head, bounds_what_it_drains, states_its_length],
    );
    trials.add(
        On::Every,
        Plain::One,
        tests![
            bounds_a_client_that_reads_nothing,
            limits_the_time,
            limits_the_time_behind_a_request,
            tells_a_client_whose_head_is_late,
        ],
    );
}

/// A case, to be put to a server that is started for it.
type Case = fn(&Target) -> Result<(), Failure>;

/// Each experiment has its own server, and all run side by side: rung 1 serves only one client at a time.
fn tells_a_client_whose_head_is_late(rung: Rung) -> Result<(), Failure> {
    let late = limits::tells_a_client_whose_head_is_late;
    let ways: [(Case, &[&str]); 3] =
        [(late, &[]), (late, &["--keep-alive"]), (limits_the_time_of_a_whole_head, &[])];
    side_by_side(ways, |(case, flags)| case(&rung.start(flags)))
}

fn limits_the_time(rung: Rung) -> Result<(), Failure> {
    let ways: [fn(Rung) -> Result<(), Failure>; 3] = [
        |rung| turns_a_silent_client_away(&rung.start(&[])),
        |rung| ends_an_idle_kept_connection(&rung.start(&["--keep-alive"])),
        gives_up_a_slow_reader,
    ];
    side_by_side(ways, |way| way(rung))
}

fn limits_the_time_behind_a_request(rung: Rung) -> Result<(), Failure> {
    limits::limits_the_time_behind_a_request(&rung.start(&["--keep-alive"]))
}

/// Clients that ask much and read nothing: the server's writes block, up to their limit.
fn gives_up_a_slow_reader(rung: Rung) -> Result<(), Failure> {
    let is_on_a_framework = rung.kind == records::servers::Kind::Framework;
    if is_on_a_framework && !cfg!(target_os = "linux") {
        // Frameworks leave this to the kernel, and only Linux does it.
        return Ok(());
    }
    let mut server = rung.start(&["--keep-alive"]);
    // A runtime opens files of its own when it serves its first client.
    ask(&server, "/file")?;
    #[cfg(target_os = "linux")]
    let before = server.open_sockets();
    // Each asks a little more than the one before, so that they do not all stop at the same answer.
    let several = if rung.serves_beside_waiting_clients() { 16 } else { 0 };
    let others: Vec<Client> = (0..several)
        .map(|number| {
            let mut client = Client::connect_with_small_buffers(&server)?;
            client.flood(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 3000 + 100 * number);
            Ok(client)
        })
        .collect::<Result<_, Failure>>()?;
    let mut slow = asks_and_reads_nothing(&server)?;
    // In the end the server gives this client up: its buffer stays full until then.
    // Now and then the kernel takes a little more from the server, and each time its five seconds begin anew.
    let start = Instant::now();
    let patiently = |who: &str, mut given_up: Box<dyn FnMut() -> bool + '_>| {
        while !given_up() {
            let still = start.elapsed() < Duration::from_secs(180);
            ensure(still, format_args!("{who}, still connected"), "an end of its connection")?;
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    };
    patiently("a client that reads nothing", Box::new(|| slow.is_given_up()))?;
    #[cfg(target_os = "linux")]
    patiently("some of the clients", Box::new(|| server.open_sockets() <= before))?;
    drop(others);
    still_answers(&server)?;
    assert!(server.is_running());
    Ok(())
}
