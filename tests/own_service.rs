//! The solutions of the reader's own service: what a client gets at each stop, and what HTTP demands of each. What waits
//! for its time is tested in paused time, in `examples/emblem/emblem_tested`.

use std::env;
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::time::{Duration, Instant};

use ladder_tests::{
    Client, DEADLINE, EMBLEMS, Rung, Server, cases,
    cases::{
        Pages, Target,
        catalogue::{CATALOGUE, Level, Needs},
    },
    conclusive, join_all, none, root, run, wait_until,
};

/// What `/` says.
const INDEX: &str = "An emblem for each name: /emblem/NAME\n";

/// How long a stop may take that cuts off nobody, and how long those that are served have.
const GRACE: Duration = Duration::from_secs(5);

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

#[track_caller]
fn stop(name: &str) -> Rung {
    let found = EMBLEMS.iter().find(|stop| stop.name == format!("emblem_{name}"));
    *found.unwrap_or_else(|| panic!("no stop {name}"))
}

/// Runs `test` on these stops at the same time.
#[track_caller]
fn on(stops: &[Rung], test: impl Fn(Rung) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        join_all(stops.iter().map(|stop| scope.spawn(move || test(*stop))).collect());
    });
}

#[track_caller]
fn check(server: &Server, target: &str, status: u16, body: &str) {
    let mut client = Client::asking(server, target).unwrap();
    let response = client.response().unwrap();
    assert_eq!((response.status, response.text()), (status, body), "{response:?}");
    client.ends().unwrap();
}

/// The emblem of a name, which is 24 lines of at most 64 letters, and not all of them empty.
#[track_caller]
fn emblem(server: &Server, name: &str) -> String {
    let response = Client::asking(server, &format!("/emblem/{name}")).unwrap().response().unwrap();
    assert_eq!(response.status, 200, "{response:?}");
    let emblem = response.text().to_owned();
    assert_eq!(emblem.lines().count(), 24, "{emblem}");
    assert!(emblem.lines().all(|line| line.len() <= 64), "{emblem}");
    assert!(emblem.bytes().filter(|byte| *byte > b'.').count() > 100, "{emblem}");
    emblem
}

#[test]
fn each_stop_has_the_same_pages() {
    on(&EMBLEMS, |stop| {
        let server = stop.start(&[]);
        check(&server, "/", 200, INDEX);
        for path in ["/nowhere", "/emblem", "/emblem/", "/emblem/Ada", "/emblem/a/b"] {
            check(&server, path, 404, "404 Not Found\n");
        }
        let ada = emblem(&server, "ada");
        assert_eq!(emblem(&server, "ada"), ada, "{}", stop.name);
        assert_ne!(emblem(&server, "grace"), ada, "{}", stop.name);
        let mut client = Client::connect(&server).unwrap();
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").unwrap();
        let refused = client.response().unwrap();
        assert_eq!((refused.status, refused.header("Allow")), (405, Some("GET, HEAD")));
    });
}

/// The owner keeps what was drawn, and counts who asked for it.
#[test]
fn from_the_owner_on_the_names_are_counted() {
    on(&EMBLEMS[2..], |stop| {
        let server = stop.start(&[]);
        check(&server, "/names", 200, "");
        for name in ["grace", "ada", "ada"] {
            emblem(&server, name);
        }
        check(&server, "/names", 200, "ada 2\ngrace 1\n");
    });
}

/// Whether a page that draws nothing comes before an emblem that was asked for earlier.
fn page_comes_first(program: &str) -> bool {
    let server = stop(program).launch().env("TOKIO_WORKER_THREADS", "1").start();
    // This one is drawn for longer than most.
    let mut drawn = Client::asking(&server, "/emblem/ken").unwrap();
    std::thread::scope(|scope| {
        let emblem_came = scope.spawn(move || {
            assert_eq!(drawn.response().unwrap().status, 200);
            Instant::now()
        });
        // It is being drawn by now.
        std::thread::sleep(Duration::from_millis(5));
        check(&server, "/", 200, INDEX);
        let page_came = Instant::now();
        page_came < emblem_came.join().unwrap()
    })
}

/// With one worker a task that draws holds up everybody; from `spawn_blocking` on it holds up nobody.
///
/// A busy machine may stop the worker, or a client, for as long as the drawing takes, but not five times.
#[test]
fn a_page_that_draws_nothing_comes_beside_one_that_draws() {
    for (name, waits) in [("owner", true), ("blocking", false), ("log", false)] {
        let seen = (0..5).any(|_| page_comes_first(name) != waits);
        assert!(seen, "{name}: five times the page {}", if waits { "overtook" } else { "waited" });
    }
}

/// What the judge asks of any server that speaks HTTP/1.1, and of one that is asked by clients as they are.
#[test]
fn what_http_demands_holds_at_the_first_and_at_the_last_stop() {
    let asked = CATALOGUE.iter().filter(|asked| {
        asked.level != Level::Contract && [Needs::Index, Needs::Closing].contains(&asked.needs)
    });
    let asked: Vec<_> = asked.collect();
    assert!(asked.len() > 10, "{asked:?}");
    on(&[stop("threads"), stop("log")], |stop| {
        let server = stop.start(&[]);
        let theirs = Target { pages: Pages::Theirs(Some(INDEX.as_bytes())), ..*server };
        for asked in &asked {
            // Two hundred half requests have more connections than a pool has threads: that is chapter 4's.
            if stop.name == "emblem_threads" && asked.name.starts_with("serves_beside_two_hundred")
            {
                continue;
            }
            eprintln!("{}: {}", stop.name, asked.name);
            (asked.run)(&theirs).unwrap();
        }
    });
}

/// The last stop keeps more of this book's contract than a service owes.
#[test]
fn the_last_stop_refuses_what_is_no_request() {
    let server = stop("log").start(&[]);
    let theirs = Target { pages: Pages::Theirs(Some(INDEX.as_bytes())), ..*server };
    cases::http::takes_two_equal_lengths_for_one(&theirs).unwrap();
    let mut complaints = Vec::new();
    for (name, request, (status, _)) in cases::http::refused(&server.host()) {
        // A line feed alone may be taken for the end of a line (RFC 9112, section 2.2). What has no empty line at all is
        // waited for, and refused as late.
        if name.contains("without CR") || ["TLS", "zeros"].contains(&name) {
            continue;
        }
        let mut client = Client::connect(&server).unwrap();
        client.send(request).unwrap();
        let response = client.response().unwrap();
        if response.status != status {
            complaints.push(format!("{name}: {response:?}"));
        }
    }
    none(complaints);
}

#[cfg(unix)]
#[test]
fn a_stop_finishes_what_is_being_drawn_and_lets_the_others_go() {
    use ladder_tests::Signal;
    for name in ["stop", "log"] {
        for signal in [Signal::Interrupt, Signal::Terminate] {
            conclusive(GRACE, || {
                let mut server = stop(name).start(&[]);
                let mut silent = Client::connect(&server).unwrap();
                let mut half = Client::half_open(&server).unwrap();
                let ask = |number| Client::asking(&server, &format!("/emblem/n{number}")).unwrap();
                let mut drawn: Vec<Client> = (0..4).map(ask).collect();
                // Connections are accepted in order, so by now those above are being served.
                check(&server, "/", 200, INDEX);
                server.signal(signal);
                drawn
                    .iter_mut()
                    .for_each(|it| assert_eq!(it.response().unwrap().status, 200, "{name}"));
                silent.ends().unwrap();
                half.ends().unwrap();
                drop(drawn);
                let status = server.wait(GRACE);
                assert_eq!(status.code(), Some(0), "{name}: {}", server.stderr());
            });
        }
    }
}

/// A line for each request and each fault, and nothing that a client could make up in it.
#[test]
fn the_log_has_a_line_for_each_request() {
    let server = stop("log").start(&[]);
    check(&server, "/", 200, INDEX);
    let mut rude = Client::connect(&server).unwrap();
    rude.send(b"GET /\x1b[31m\nadmin HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert_eq!(rude.response().unwrap().status, 400);
    // A line is written after its response.
    wait_until("two lines", || server.stderr().lines().count() == 2);
    Client::half_open(&server).unwrap().reset();
    wait_until("three lines", || server.stderr().lines().count() == 3);
    let said = server.stderr();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains(" GET / HTTP/1.1 200 OK, "), "{said}");
    assert!(lines[1].contains(r"GET /\u{1b}[31m\nadmin HTTP/1.1 400 Bad Request, "), "{said}");
    assert!(lines[2].contains(" error: "), "{said}");
}

/// Nobody reads what it writes, and it serves all the same.
#[test]
fn a_log_that_nobody_reads_ends_nothing() {
    let server = stop("log").launch().unheard().start();
    for _ in 0..3 {
        check(&server, "/", 200, INDEX);
    }
}

/// A process has only so many descriptors. When none is left, `accept` fails, and the service goes on when it can.
#[cfg(target_os = "linux")]
#[test]
fn an_accept_that_fails_ends_no_stop() {
    on(&EMBLEMS, |stop| {
        let server = stop.launch().limit_files(30).start();
        let held: Vec<Client> = (0..60).map(|_| Client::half_open(&server).unwrap()).collect();
        if stop.name != "emblem_threads" {
            wait_until("it says so", || server.stderr().contains("accept: "));
        }
        drop(held);
        check(&server, "/", 200, INDEX);
    });
}

/// How long cargo may take, which may have to compile.
const CARGO_TIME: Duration = DEADLINE.saturating_mul(30);

/// A `cargo test` of its own: `test-util` would be compiled into the servers too.
fn cargo_test(args: &[&str]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root()).args(["test", "--quiet", "--locked"]).args(args);
    cargo
}

#[ignore = "slow"]
#[test]
fn the_tests_that_the_pages_show_pass() {
    let packages = ["--package", "tested_echo", "--package", "emblem_tested"];
    let finished = run(&mut cargo_test(&packages), CARGO_TIME);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
}

/// The question on the page: the test fails, and with an older program on its port it passes.
#[ignore = "slow"]
#[test]
fn a_test_on_a_fixed_port_tests_whoever_has_it() {
    let older = Rung::step("tokio_timeout").expect("it is declared").start(&[]);
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let nobody = nobody.expect("a free port").port();
    for (port, passes) in [(nobody, false), (older.address.port(), true)] {
        let wrong = ["--package", "tested_echo", "--example", "tested_wrong", "--", "--ignored"];
        let finished = run(cargo_test(&wrong).env("PORT", port.to_string()), CARGO_TIME);
        assert_eq!(finished.code == Some(0), passes, "{finished:?}");
        let result = if passes { "test result: ok. 1 passed" } else { "all of it comes" };
        assert!((finished.stdout + &finished.stderr).contains(result), "{port}");
    }
}

/// The queue holds 16 connections, so a thread that waits for a slot accepts nobody.
#[test]
fn on_threads_a_fifth_client_waits() {
    let server = stop("threads").start(&[]);
    conclusive(GRACE, || {
        let held: Vec<Client> = (0..4).map(|_| Client::half_open(&server).unwrap()).collect();
        let mut fifth = Client::asking(&server, "/").unwrap();
        assert!(!fifth.hears_within(A_WHILE), "it was served beside four");
        drop(held);
        assert_eq!(fifth.response().unwrap().status, 200);
    });
}
