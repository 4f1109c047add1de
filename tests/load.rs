//! The two load generators of the sources find no error in any rung, in either mode; and, in a module of its own, what
//! the clients that people use understand.
//!
//! How fast a rung is does not matter here: the figures come from `cargo xtask bench`.

use std::process::{Command, ExitCode};

use ladder_tests::{DEADLINE, On, Plain, Rung, Schedule, Server, Trials, have, run, tests};

mod clients;

fn main() -> ExitCode {
    let mut trials = Trials::of_the_ladder();
    trials.add(On::Every, Plain::Nowhere, tests![wrk]);
    trials.add(On::Every, Plain::One, tests![ab]);
    clients::list(&mut trials);
    trials.run()
}

/// More connections than a pool has threads, unless told otherwise.
const CONNECTIONS: &str = "20";

/// Starts the rung in both modes, and checks afterwards that it lives, and had nothing to complain about.
fn in_both_modes(rung: Rung, test: impl Fn(&Server)) {
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = rung.start(flags);
        test(&server);
        assert!(server.is_running());
        let (_, stderr) = server.kill();
        assert_eq!(stderr, "", "nothing on standard error");
    }
}

fn wrk(rung: Rung) {
    if cfg!(windows) || !have("wrk") {
        return;
    }
    in_both_modes(rung, |server| {
        for path in ["/", "/file"] {
            let mut command = Command::new("wrk");
            command.args(["-t2", "-c", CONNECTIONS, "-d1s", &server.url(path)]);
            check_wrk(&run(&mut command, 3 * DEADLINE).stdout);
        }
    });
}

/// wrk prints `Socket errors: connect 0, read 1, write 0, timeout 5` and `Non-2xx or 3xx responses: 7` only if
/// there were any. A timeout is an answer that took more than two seconds, which is no error of the server.
#[track_caller]
fn check_wrk(report: &str) {
    let requests = report.lines().find_map(|line| line.trim().split_once(" requests in "));
    let requests: u64 = requests
        .and_then(|(count, _)| count.parse().ok())
        .unwrap_or_else(|| panic!("wrk counts no requests:\n{report}"));
    assert!(requests > 0, "wrk got no answer:\n{report}");
    if let Some((_, errors)) = report.split_once("Socket errors:") {
        for kind in ["connect 0,", "read 0,", "write 0,"] {
            assert!(errors.contains(kind), "no {kind:?}:\n{report}");
        }
    }
    assert!(!report.contains("Non-2xx"), "{report}");
}

fn ab(rung: Rung) {
    if cfg!(windows) || !have("ab") {
        return;
    }
    in_both_modes(rung, |server| {
        for path in ["/", "/file", "/sleep?ms=1"] {
            check_ab(&run_ab(server, &["-c", CONNECTIONS], path), 0);
            if !server.can.keep_alive {
                // It asks for a kept connection, and is told that there is none.
                check_ab(&run_ab(server, &["-k", "-c", CONNECTIONS], path), 0);
            }
        }
    });
    // A kept connection holds its thread. With more connections than threads, ab lets the first ones lie
    // idle at its end while it waits for the last ones, and counts it as a failure that the server closes
    // them after five seconds. So here each connection has a thread.
    let (connections, launch) = match rung.schedule {
        Schedule::OneThread => ("1", rung.launch()),
        Schedule::Pool => (CONNECTIONS, rung.launch_with_threads(20)),
        Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => {
            (CONNECTIONS, rung.launch())
        }
    };
    let server = launch.args(&["--keep-alive"]).start();
    for path in ["/", "/file", "/sleep?ms=1"] {
        check_ab(&run_ab(&server, &["-k", "-c", connections], path), 500);
    }
}

fn run_ab(server: &Server, flags: &[&str], path: &str) -> String {
    let mut command = Command::new("ab");
    command.args(["-q", "-n", "500"]).args(flags).arg(server.url(path));
    let finished = run(&mut command, 6 * DEADLINE);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.stdout
}

/// ab prints some lines only if there is something to count.
#[track_caller]
fn check_ab(report: &str, kept: u64) {
    let count = |name: &str| -> Option<u64> {
        let line = report.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    };
    assert_eq!(count("Complete requests"), Some(500), "{report}");
    assert_eq!(count("Failed requests"), Some(0), "{report}");
    assert_eq!(count("Write errors").unwrap_or(0), 0, "{report}");
    assert_eq!(count("Non-2xx responses").unwrap_or(0), 0, "{report}");
    assert_eq!(count("Keep-Alive requests").unwrap_or(0), kept, "{report}");
}
