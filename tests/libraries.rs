//! The programs on libraries that pages give away: the service on axum under attack, and what a budget for retries does.
//! Their own tests lie beside them.

use std::{
    collections::BTreeMap,
    env, fs,
    process::Command,
    time::{Duration, Instant},
};

use ladder_tests::{
    AXUM_SERVICE, Client, DEADLINE, Rung, Server, conclusive, example, root, run, wait_until,
};

/// How many queries may be in flight.
const IN_FLIGHT: usize = 100;

/// How long a query may take, and how long a connection may be silent.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long it says that it will stop, and how long those in flight have then.
const NOTICE: Duration = Duration::from_secs(1);
const GRACE: Duration = Duration::from_secs(8);

/// How long cargo may take, which may have to compile.
const CARGO_TIME: Duration = DEADLINE.saturating_mul(30);

#[track_caller]
fn check(server: &Server, path: &str, status: u16, text: &str) {
    let response = Client::asking(server, path).unwrap().response().unwrap();
    assert_eq!((response.status, response.text()), (status, text), "{path}: {response:?}");
}

/// So many queries that take a second, and one that is answered at once: by then all of them are in flight.
#[track_caller]
fn queries(server: &Server, count: usize) -> Vec<Client> {
    let clients = (0..count).map(|_| Client::asking(server, "/query/1000").unwrap()).collect();
    check(server, "/", 200, "ok\n");
    clients
}

#[track_caller]
fn statuses(clients: &mut [Client]) -> BTreeMap<u16, usize> {
    let mut counts = BTreeMap::new();
    for client in clients {
        *counts.entry(client.response().unwrap().status).or_default() += 1;
    }
    counts
}

/// The attack of the page: 150 queries at the same time. A second later all permits are back.
#[ignore = "slow"]
#[test]
fn of_150_queries_100_are_answered_and_50_refused() {
    let server = AXUM_SERVICE.start(&[]);
    conclusive(Duration::from_secs(1), || {
        let counts = statuses(&mut queries(&server, 150));
        assert_eq!(counts, BTreeMap::from([(200, IN_FLIGHT), (503, 50)]));
    });
    check(&server, "/query/1", 200, "that took 1 ms\n");
}

/// hyper sees a client leave, and drops its handler with the permit.
#[ignore = "slow"]
#[test]
fn who_leaves_gives_its_permit_back_at_once() {
    conclusive(Duration::from_secs(3), || {
        let server = AXUM_SERVICE.start(&[]);
        let start = Instant::now();
        let long = || Client::asking(&server, "/query/4000").unwrap();
        let clients: Vec<Client> = (0..=IN_FLIGHT).map(|_| long()).collect();
        // Which of them is the one too many depends on the order in which the workers come to them.
        wait_until("one is refused", || server.stderr().contains(" status=503 "));
        check(&server, "/query/1", 503, "too many queries are in flight\n");
        drop(clients);
        wait_until("a permit is back", || {
            let mut client = Client::asking(&server, "/query/1").unwrap();
            client.response().unwrap().status == 200
        });
        // Else the permits come back when their queries are done.
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    });
}

#[ignore = "slow"]
#[test]
fn a_slow_query_is_refused_at_its_deadline_and_a_silent_client_is_closed() {
    let server = AXUM_SERVICE.start(&[]);
    let start = Instant::now();
    let mut silent = Client::connect(&server).unwrap();
    let mut half = Client::half_open(&server).unwrap();
    let late = Client::asking(&server, "/query/20000").unwrap().response().unwrap();
    assert_eq!((late.status, late.text()), (504, "this has taken too long\n"));
    // It would take as long again.
    assert_eq!(late.header("retry-after"), None);
    assert!(start.elapsed() >= PATIENCE);
    silent.ends().unwrap();
    half.ends().unwrap();
}

/// A head as long as the limit that isn't whole yet.
#[ignore = "slow"]
#[test]
fn a_head_that_is_too_long_is_refused() {
    let server = AXUM_SERVICE.start(&[]);
    let mut client = Client::connect(&server).unwrap();
    let begun = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    client.send(format!("{begun}{}", "x".repeat(16 * 1024 - begun.len()))).unwrap();
    assert_eq!(client.response().unwrap().status, 431);
    client.ends().unwrap();
}

/// A line for each answer, without what follows the question mark.
#[ignore = "slow"]
#[test]
fn the_log_has_a_line_for_each_answer() {
    let server = AXUM_SERVICE.start(&[]);
    check(&server, "/query/1?password=secret", 200, "that took 1 ms\n");
    check(&server, "/nowhere", 404, "");
    wait_until("two lines", || server.stderr().lines().count() == 2);
    let said = server.stderr();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains(r#" method=GET path="/query/1" status=200 ms="#), "{said}");
    assert!(lines[1].contains(r#" method=GET path="/nowhere" status=404 ms="#), "{said}");
    assert!(!said.contains("secret"), "{said}");
}

/// Nobody reads what it writes, and it serves all the same.
#[ignore = "slow"]
#[test]
fn a_log_that_nobody_reads_ends_nothing() {
    let server = AXUM_SERVICE.launch().unheard().start();
    for _ in 0..3 {
        check(&server, "/", 200, "ok\n");
    }
}

#[cfg(unix)]
#[ignore = "slow"]
#[test]
fn who_is_in_flight_at_the_stop_is_answered_and_the_status_is_0() {
    use ladder_tests::Signal;
    for signal in [Signal::Interrupt, Signal::Terminate] {
        let mut server = AXUM_SERVICE.start(&[]);
        let mut silent = Client::connect(&server).unwrap();
        conclusive(Duration::from_secs(1), || {
            let mut clients = queries(&server, 10);
            server.signal(signal);
            silent.ends().unwrap();
            assert_eq!(statuses(&mut clients), BTreeMap::from([(200, 10)]));
        });
        assert_eq!(server.wait(NOTICE + GRACE).code(), Some(0), "{}", server.stderr());
    }
}

/// In the first step a load balancer is told, and everybody is served.
#[cfg(unix)]
#[ignore = "slow"]
#[test]
fn before_it_stops_it_says_so_and_serves_on() {
    use ladder_tests::Signal;
    conclusive(NOTICE, || {
        let mut server = AXUM_SERVICE.start(&[]);
        server.signal(Signal::Terminate);
        wait_until("it is leaving", || {
            let response = Client::asking(&server, "/").unwrap().response().unwrap();
            response.status == 503
        });
        for (path, status, text) in [("/", 503, "leaving\n"), ("/query/1", 200, "that took 1 ms\n")]
        {
            let mut client = Client::asking(&server, path).unwrap();
            let response = client.response().unwrap();
            assert_eq!((response.status, response.text()), (status, text));
            assert_eq!(response.header("connection"), Some("close"), "{path}");
            client.ends().unwrap();
        }
        assert_eq!(server.wait(NOTICE + GRACE).code(), Some(0), "{}", server.stderr());
    });
}

/// A client that takes nothing of its answer holds its connection: no limit of time is about that.
#[cfg(unix)]
#[ignore = "slow"]
#[test]
fn who_is_still_inside_after_the_grace_is_cut_off_and_the_status_is_1() {
    use ladder_tests::Signal;
    let mut server = AXUM_SERVICE.start(&[]);
    let mut client = Client::connect_with_small_buffers(&server).unwrap();
    // More answers than fit into the buffers between them, and not one of them is read.
    let request = "GET /recent HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    client.flood(request.as_bytes(), 100 << 20);
    let start = Instant::now();
    server.signal(Signal::Terminate);
    let status = server.wait(DEADLINE);
    assert_eq!(status.code(), Some(1), "{}", server.stderr());
    assert!(start.elapsed() >= NOTICE + GRACE);
    assert!(server.stderr().contains("cut off connected=1"), "{}", server.stderr());
}

/// A `cargo test` of its own: `test-util` would be compiled into the servers too.
#[ignore = "slow"]
#[test]
fn the_tests_beside_them_pass() {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.current_dir(root()).args(["test", "--quiet", "--locked"]);
    cargo.args(["--package", "axum_service", "--package", "http_client"]);
    let finished = run(&mut cargo, CARGO_TIME);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
}

/// What a row of the client's table says.
#[derive(Clone, Copy, Debug)]
struct Row {
    calls: u64,
    requests: u64,
    answered: u64,
    /// Of the calls of the last second.
    answered_late: u64,
    late: u64,
}

/// The two rows: with a budget, and without.
#[track_caller]
fn rows(printed: &str) -> [Row; 2] {
    ["with a budget", "without"].map(|name| {
        let line = printed.lines().find_map(|line| line.strip_prefix(name));
        let line = line.unwrap_or_else(|| panic!("no row {name} in {printed}"));
        let numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        let numbers: Vec<u64> = numbers.collect();
        let [calls, requests, answered, answered_late, late] = numbers[..] else {
            panic!("not five numbers: {line}")
        };
        Row { calls, requests, answered, answered_late, late }
    })
}

/// A tenth of the calls, and ten that were saved up.
#[track_caller]
fn check_budget(row: Row) {
    assert!(row.requests > row.calls, "nothing was tried again: {row:?}");
    assert!(row.requests <= row.calls + row.calls / 10 + 10, "{row:?}");
}

#[track_caller]
fn calls_of(way: &'static str) -> [Row; 2] {
    let server = Rung::step(way).expect("it is declared").start(&[]);
    let mut program = example("http_client");
    program.args(["--port", &server.address.port().to_string()]);
    let finished = run(&mut program, 3 * DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    rows(&finished.stdout)
}

/// The page's experiment, and the claims about it.
#[track_caller]
fn check_claims([with, without]: [Row; 2]) {
    check_budget(with);
    assert!(without.requests >= 3 * without.calls, "{without:?}");
    // Whoever is still served finds an empty queue.
    assert_eq!((without.answered_late, without.late), (0, 50), "{without:?}");
    assert_eq!((with.answered_late, with.late), (50, 50), "{with:?}");
    assert!(with.answered > without.answered, "{with:?}, {without:?}");
}

#[ignore = "slow"]
#[test]
fn with_a_budget_the_server_is_back_after_the_rush_and_without_it_is_not() {
    // A machine that stalls may let a call of the last second wait.
    conclusive(Duration::from_secs(14), || check_claims(calls_of("rush_none")));
}

/// A refusal costs the server little, so it is back in both cases.
#[ignore = "slow"]
#[test]
fn a_server_that_refuses_is_back_whatever_its_clients_do() {
    conclusive(Duration::from_secs(12), || {
        let [with, without] = calls_of("rush_refuse");
        check_budget(with);
        assert!(without.requests > with.requests, "{without:?}, {with:?}");
        assert_eq!((with.answered_late, without.answered_late), (50, 50), "{with:?}, {without:?}");
    });
}

#[test]
fn what_the_page_shows_of_the_rush_is_what_it_claims() {
    let page = fs::read_to_string(root().join("book/ch07-bounded.md")).expect("the page is there");
    let (_, below) = page.split_once("$ cargo run -p http_client\n").expect("the page runs it");
    check_claims(rows(below.split("```").next().unwrap_or_default()));
}

/// The dependencies that a page gives away are those with which its package is built.
#[test]
fn the_dependencies_on_the_pages_are_those_of_the_packages() {
    check_dependencies("book/frameworks.md", "axum_service", &["dependencies", "dev-dependencies"]);
    check_dependencies("book/ch07-bounded.md", "http_client", &["dependencies"]);
}

#[track_caller]
fn check_dependencies(page: &str, package: &str, lists: &[&str]) {
    let read = |file: &str| -> toml::Table {
        let text = fs::read_to_string(root().join(file)).expect("the file is there");
        text.parse().unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let page = fs::read_to_string(root().join(page)).expect("the page is there");
    let (_, below) = page.split_once("```toml\n").expect("the page has them");
    let shown: toml::Table = below.split("```").next().unwrap_or_default().parse().unwrap();
    let built = read(&format!("examples/libraries/{package}/Cargo.toml"));
    let workspace = read("Cargo.toml")["workspace"]["dependencies"].as_table().unwrap().clone();
    let features = |entry: Option<&toml::Value>| -> Vec<String> {
        let list = entry.and_then(|entry| entry.get("features")?.as_array());
        list.into_iter().flatten().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let version = |entry: &toml::Value| -> String {
        let version = entry.get("version").unwrap_or(entry).as_str().unwrap();
        version.trim_start_matches('=').to_owned()
    };
    for list in lists {
        let shown = shown[*list].as_table().unwrap();
        let built = built[*list].as_table().unwrap();
        assert_eq!(shown.keys().collect::<Vec<_>>(), built.keys().collect::<Vec<_>>(), "{list}");
        for (name, entry) in shown {
            let ours = version(&workspace[name]);
            assert!(ours.starts_with(&version(entry)), "{name}: {entry}, and ours is {ours}");
            let mut all = features(workspace.get(name));
            all.extend(features(built.get(name)));
            all.sort();
            let mut told = features(Some(entry));
            told.sort();
            assert_eq!(told, all, "{name}");
        }
    }
}
