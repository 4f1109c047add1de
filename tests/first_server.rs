//! The steps to rung 1: each survives what the steps before it fix, and breaks at the next thing.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use ladder_tests::{Client, DEADLINE, Rung, example, join_all, root, run};
use records::servers::Server;

use crate::first_pool::{PANICS_AGAIN, compiled};

/// How long the last step gives each client.
const TIME: Duration = Duration::from_secs(5);

/// What `break_it` does to a server, in the order in which the steps fix it.
const BREAKS: [&str; 7] =
    ["two-pieces", "long-head", "leave", "silent", "lost-response", "panic", "drip"];

/// The fix that opens the way to the last: a server that doesn't drain closes with the drip unread.
const DRAINS: usize = 5;

fn steps() -> Vec<Rung> {
    let declared = &Server::named("ch01_single_threaded").expect("it is declared").steps;
    let steps = declared.iter().filter(|step| step.starts_with("first_server"));
    steps.map(|step| Rung::step(step).expect("it is a step")).collect()
}

/// Whether the step survives this, as the client says that the reader runs.
fn survives(step: Rung, name: &str) -> Result<bool, String> {
    let server = step.start(&[]);
    let port = server.address.port().to_string();
    let said = run(example("break_it").args([name, "--port", &port]), DEADLINE).stdout;
    match (said.contains("  survived: "), said.contains("  broken: ")) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ => Err(said),
    }
}

#[test]
fn each_step_fixes_one_thing() {
    let steps = steps();
    assert_eq!(steps.len(), BREAKS.len() + 1, "one step for each fix, and the first");
    let check = |fixes: usize, step: Rung| {
        for (index, name) in BREAKS.iter().enumerate() {
            let not_yet_open = *name == "drip" && fixes < DRAINS;
            let expected = Ok(index < fixes || not_yet_open);
            assert_eq!(survives(step, name), expected, "{}: {name}", step.name);
        }
    };
    thread::scope(|scope| {
        for (fixes, step) in steps.into_iter().enumerate() {
            scope.spawn(move || check(fixes, step));
        }
    });
}

/// A client that drips its head, or floods the server with its body, has no more of the last step than its deadline and
/// its 64 KiB. The step before it reads for as long as the client sends.
#[ignore = "slow"]
#[test]
fn only_the_last_step_bounds_what_it_reads() {
    for (name, bounds) in [("first_server_caught", false), ("first_server_deadline", true)] {
        let step = Rung::step(name).expect("it is a step");
        let drips_its_head = || {
            let server = step.start(&[]);
            let mut dripping = Client::half_open(&server).unwrap();
            let mut next = Client::asking(&server, "/").unwrap();
            let start = Instant::now();
            // It fails where the server has closed.
            while start.elapsed() < 3 * TIME && !next.hears_within(Duration::from_millis(300)) {
                let _ = dripping.try_send("x");
            }
            assert_eq!(start.elapsed() < 3 * TIME, bounds, "{name}: the next client is served");
        };
        let floods = || {
            let server = step.start(&[]);
            let mut flooding = Client::connect(&server).unwrap();
            flooding
                .send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
                .unwrap();
            // What is under way in the buffers of both sides comes on top of what the server reads.
            let most = 64 * 1024 * 1024;
            let sent = flooding.flood(&[b'x'; 65536], most);
            assert_eq!(sent < most, bounds, "{name}: it took {sent} bytes");
        };
        thread::scope(|scope| {
            join_all(vec![scope.spawn(drips_its_head), scope.spawn(floods)]);
        });
    }
}

/// The panic of this handler carries a value that panics when it is dropped.
#[test]
fn a_payload_that_panics_costs_one_connection() {
    let source = root().join("examples/ch01/first_server/caught.rs");
    let source = fs::read_to_string(source).expect("the step");
    let bug = "str::from_utf8(&head).expect(\"a request is UTF-8\")";
    assert!(source.contains(bug), "the handler has another bug");
    let worse = "str::from_utf8(&head).unwrap_or_else(|_| std::panic::panic_any(PanicsAgain))";
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    let files = [("main.rs", source.replace(bug, worse) + PANICS_AGAIN)];
    let program = compiled(&files, &[], folder.path());
    let step = Rung::step("first_server_caught").expect("it is a step");
    let mut server = step.launch().copied(&program, folder.path()).start();
    for _ in 0..2 {
        let mut rude = Client::connect(&server).unwrap();
        rude.send(b"GET /caf\xe9 HTTP/1.1\r\n\r\n").unwrap();
        let (answer, _) = rude.rest().unwrap();
        assert!(answer.is_empty(), "a handler that panicked answered");
        // Its responses have no length, so they end with the connection.
        let (page, _) = Client::asking(&server, "/").unwrap().rest().unwrap();
        assert!(page.starts_with(b"HTTP/1.1 200 OK\r\n"), "the next client gets no page");
    }
    assert!(server.is_running());
}

/// What the page says that a boundary doesn't stop.
#[cfg(unix)]
mod no_boundary {
    use std::os::unix::process::ExitStatusExt;

    use ladder_tests::{RUNGS, Server};
    use nix::sys::signal::Signal::SIGABRT;

    use super::*;

    /// Asks for this target, and checks that the server ends for it.
    #[track_caller]
    fn check_ends(mut server: Server, request: &[u8]) -> String {
        let mut client = Client::connect(&server).unwrap();
        client.send(request).unwrap();
        assert!(
            client.rest().unwrap().0.is_empty(),
            "{}: a handler that panicked answered",
            server.line
        );
        let status = server.wait(DEADLINE);
        assert_eq!(status.signal(), Some(SIGABRT as i32), "{}: {status}", server.line);
        server.stderr()
    }

    #[test]
    fn a_program_that_aborts_has_none() {
        let source = root().join("examples/ch01/first_server/caught.rs");
        let files = [("main.rs", fs::read_to_string(source).expect("the step"))];
        let folder = tempfile::tempdir().expect("a folder for what is compiled");
        let program = compiled(&files, &["-C", "panic=abort"], folder.path());
        let step = Rung::step("first_server_caught").expect("it is a step");
        let server = step.launch().copied(&program, folder.path()).start();
        check_ends(server, b"GET /caf\xe9 HTTP/1.1\r\n\r\n");
    }

    const PAYLOAD: &[u8] = b"GET /panic?payload HTTP/1.1\r\nHost: a\r\n\r\n";

    /// Where the boundary is ours, it forgets what the panic carries. Tokio drops it inside a boundary of its own. On the
    /// others, and in the standard library where nobody joins the thread, the second panic ends the process.
    #[test]
    fn a_payload_that_panics_ends_the_servers_that_drop_it() {
        let end = ["ch02_thread_spawn", "ch04_async_std", "ch04_smol"];
        let check = |rung: Rung| {
            let mut server = rung.launch_with_threads(1).args(&["--panic-route"]).start();
            if end.contains(&rung.name) {
                let said = check_ends(server, PAYLOAD);
                let standard = rung.name == "ch02_thread_spawn";
                let reason = "thread result panicked on drop";
                assert_eq!(said.contains(reason), standard, "{}: {said}", rung.name);
                return;
            }
            for _ in 0..3 {
                let mut client = Client::connect(&server).unwrap();
                client.send(PAYLOAD).unwrap();
                let (answer, _) = client.rest().unwrap();
                assert!(answer.is_empty(), "{}: a handler that panicked answered", rung.name);
                assert_eq!(
                    Client::asking(&server, "/").unwrap().response().unwrap().status,
                    200,
                    "{}",
                    rung.name
                );
            }
            assert!(server.is_running(), "{}", rung.name);
        };
        let check = &check;
        thread::scope(|scope| {
            join_all(RUNGS.iter().map(|rung| scope.spawn(move || check(*rung))).collect());
        });
    }

    #[test]
    fn a_panic_in_a_drop_during_a_panic_ends_every_server() {
        thread::scope(|scope| {
            let check = |rung: Rung| {
                let server = rung.start(&["--panic-route"]);
                check_ends(server, b"GET /panic?drop HTTP/1.1\r\nHost: a\r\n\r\n");
            };
            join_all(RUNGS.iter().map(|rung| scope.spawn(move || check(*rung))).collect());
        });
    }
}

#[test]
fn rung_1_survives_all_of_them() {
    for name in BREAKS {
        assert_eq!(survives(Rung::named("ch01_single_threaded"), name), Ok(true), "{name}");
    }
}
