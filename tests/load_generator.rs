//! The load generator, `examples/clients/load`: what it counts is what a server saw.
//!
//! How fast anything is does not matter here, only what is counted, and which of two numbers is larger.

use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{DEADLINE, Finished, conclusive, example, have, run, wait_until};
use regex::Regex;
use serde_json::Value;

/// How long `/first-late` lets the first request of a connection wait.
const STOP: Duration = Duration::from_millis(500);

/// A server that counts, and whose pages have the faults that a generator must notice.
struct Counting {
    address: SocketAddr,
    connections: Arc<AtomicU64>,
    requests: Arc<AtomicU64>,
}

impl Counting {
    /// Starts it. Its threads end with the test.
    fn start() -> Counting {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (connections, requests) = (Arc::default(), Arc::default());
        let server = Counting { address, connections, requests };
        let counters = (Arc::clone(&server.connections), Arc::clone(&server.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (connections, requests) = counters.clone();
                connections.fetch_add(1, SeqCst);
                // The client may leave at any moment, and that is no fault.
                thread::spawn(move || drop(serve(&stream, &requests)));
            }
        });
        server
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn connections(&self) -> u64 {
        self.connections.load(SeqCst)
    }

    fn requests(&self) -> u64 {
        self.requests.load(SeqCst)
    }
}

/// Answers requests until the client leaves, or asks for the connection's end, or a page ends it.
fn serve(stream: &TcpStream, requests: &AtomicU64) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    let mut is_first = true;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        requests.fetch_add(1, SeqCst);
        let path = head.split(' ').nth(1).unwrap_or_default();
        let (answer, ends) = match path {
            "/" => ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
            "/first-late" => {
                if is_first {
                    thread::sleep(STOP);
                }
                ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false)
            }
            "/cut" => ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", true),
            "/long" => ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello", false),
            "/until-the-end" => ("HTTP/1.1 200 OK\r\n\r\nhello", true),
            "/goodbye" => {
                ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", true)
            }
            "/garbage" => ("hello\r\n\r\n", false),
            "/busy" => ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", false),
            "/silent" => ("", false),
            "/nothing" => ("", true),
            _ => ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false),
        };
        is_first = false;
        writer.write_all(answer.as_bytes())?;
        if ends || path != "/silent" && head.contains("\r\nConnection: close\r\n") {
            return Ok(());
        }
    }
}

/// Runs the generator with `--json` to its end.
#[track_caller]
fn load(args: &[&str], url: &str) -> Value {
    let finished = run(example("load").args(args).args(["--json", url]), 2 * DEADLINE);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stderr, "");
    json(&finished.stdout)
}

#[track_caller]
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn count(report: &Value, name: &str) -> u64 {
    report[name].as_u64().unwrap_or_else(|| panic!("no count {name} in {report}"))
}

#[track_caller]
fn latency(report: &Value, name: &str) -> f64 {
    report["latency"][name].as_f64().unwrap_or_else(|| panic!("no latency {name} in {report}"))
}

#[track_caller]
fn number(report: &Value, name: &str) -> f64 {
    report[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {report}"))
}

const ERRORS: [&str; 4] = ["errors_connect", "errors_read", "errors_write", "errors_timeout"];

#[track_caller]
fn errors(report: &Value) -> u64 {
    ERRORS.iter().map(|name| count(report, name)).sum()
}

/// Every request is counted in exactly one way, in whatever way it ends.
#[track_caller]
fn check_sum(report: &Value) {
    let answered = count(report, "requests") + count(report, "requests_late");
    let unanswered = count(report, "unanswered");
    let taken = answered + unanswered + errors(report);
    match report["due"].as_u64() {
        Some(due) => assert_eq!(due, taken + count(report, "never_sent"), "{report}"),
        None => assert_eq!(count(report, "never_sent"), 0, "{report}"),
    }
    let unsent = count(report, "errors_connect") + count(report, "errors_write");
    // What was unanswered or timed out may or may not have been sent.
    let unsure = unanswered + count(report, "errors_timeout");
    let sent = count(report, "sent");
    assert!((taken - unsent - unsure..=taken - unsent).contains(&sent), "{report}");
}

/// A run of at least 0.2 s in which all was answered: what else can be said about it is then exact.
fn all_answered(args: &[&str], path: &str) -> (Value, u64, u64) {
    conclusive(Duration::from_millis(1200), || {
        let server = Counting::start();
        let report = load(args, &server.url(path));
        check_sum(&report);
        // On a slow machine an answer may take more than the second that it is given.
        assert_eq!(count(&report, "unanswered"), 0, "{report}");
        (report, server.connections(), server.requests())
    })
}

#[test]
fn every_request_that_the_server_saw_is_counted() {
    for mode in [&["--duration", "0.3"][..], &["--duration", "0.3", "--keep-alive"]] {
        for loops in [&[][..], &["--rate", "300"]] {
            let (report, _, requests) = all_answered(&[mode, loops].concat(), "/");
            assert_eq!(count(&report, "sent"), requests, "{report}");
            let answered = count(&report, "requests") + count(&report, "requests_late");
            assert_eq!(answered, requests, "{report}");
            assert_eq!(errors(&report), 0, "{report}");
            assert_eq!(count(&report, "non_2xx"), 0, "{report}");
            // The head with its empty line, and the body.
            assert_eq!(count(&report, "transfer_bytes"), requests * (38 + 5), "{report}");
        }
    }
}

#[test]
fn kept_connections_are_kept() {
    let args = ["--keep-alive", "--connections", "7", "--duration", "0.3"];
    let (report, connections, requests) = all_answered(&args, "/");
    assert_eq!((connections, count(&report, "connections_opened")), (7, 7), "{report}");
    assert!(requests > 7, "{report}");
}

#[test]
fn without_keep_alive_each_request_has_a_connection_of_its_own() {
    let (report, connections, requests) =
        all_answered(&["--connections", "7", "--duration", "0.3"], "/");
    assert_eq!(connections, requests, "{report}");
    assert_eq!(count(&report, "connections_opened"), connections, "{report}");
}

#[test]
fn a_server_that_says_goodbye_is_believed() {
    for path in ["/goodbye", "/until-the-end"] {
        let args = ["--keep-alive", "--connections", "1", "--duration", "0.3"];
        let (report, connections, requests) = all_answered(&args, path);
        assert_eq!(errors(&report), 0, "{report}");
        assert_eq!(connections, requests, "{report}");
    }
}

#[test]
fn together_all_are_connected_before_one_asks_and_each_asks_once() {
    let server = Counting::start();
    let report = load(&["--connections", "20", "--together", "4"], &server.url("/first-late"));
    assert_eq!((server.connections(), server.requests()), (20, 20));
    assert_eq!((count(&report, "requests"), count(&report, "turned_away")), (20, 0));
    // Each is the first on its connection, and the time counts from the moment that all have in common.
    let last = report["last_answer_seconds"].as_f64().expect("there was an answer");
    assert!(last >= STOP.as_secs_f64(), "{report}");
    // The one is rounded to a millisecond, and the other up to the end of its place in the histogram, a thousandth wide.
    assert!(last + 0.0005 >= latency(&report, "p99_ms") / 1001.0, "{report}");
    for name in ERRORS {
        assert_eq!(count(&report, name), 0, "{report}");
    }
}

/// Nobody accepts, so a few are in the backlog and hear nothing, and the others are not even connected.
#[cfg(target_os = "linux")]
#[test]
fn who_is_not_connected_when_all_ask_is_turned_away() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    let args = ["--connections", "300", "--together", "0.5", "--timeout", "0.3"];
    let report = load(&args, &url);
    let [away, given_up] = ["turned_away", "errors_timeout"].map(|name| count(&report, name));
    assert!(away > 0 && given_up > 0, "{report}");
    assert_eq!((away + given_up, count(&report, "requests")), (300, 0), "{report}");
    assert!(report["last_answer_seconds"].is_null(), "{report}");
}

#[test]
fn idle_connections_ask_once_and_stay() {
    let args = ["--keep-alive", "--connections", "2", "--idle", "5", "--duration", "0.3"];
    let (report, connections, requests) = all_answered(&args, "/");
    assert_eq!((connections, count(&report, "connections_opened")), (7, 2), "{report}");
    assert_eq!((count(&report, "idle_connections"), count(&report, "idle_lost")), (5, 0));
    // What the idle ones asked is in no count.
    assert_eq!(requests, count(&report, "sent") + 5, "{report}");
    assert!(report["opening_seconds"].as_f64().expect("a time") >= 0.0, "{report}");
}

#[test]
fn idle_connections_that_the_server_ends_are_lost() {
    let args = ["--keep-alive", "--connections", "1", "--idle", "5", "--duration", "0.3"];
    let (report, ..) = all_answered(&args, "/goodbye");
    assert_eq!(count(&report, "idle_lost"), 5, "{report}");
}

#[test]
fn a_neighbour_is_counted_apart() {
    let args = ["--keep-alive", "--connections", "2", "--duration", "0.3", "--neighbour"];
    let (report, connections, requests) = all_answered(&[&args[..], &["/missing"]].concat(), "/");
    let others = count(&report, "sent");
    assert_eq!((connections, count(&report, "connections_opened")), (3, 2), "{report}");
    assert!(others > 0 && requests > others, "{requests} requests, {report}");
    // One is in flight when the time is over, and each is answered with a 404.
    let errors = count(&report, "neighbour_errors");
    assert_eq!((errors, count(&report, "non_2xx")), (requests - others, 0), "{report}");
    assert!(report["neighbour_mean_ms"].as_f64().is_some_and(|mean| mean > 0.0), "{report}");
}

/// The server stops for half a second. In a closed loop one request would have waited, and thousands of others would
/// hide it; a hundred requests a second that are due wait 500, 490, 480 ms and so on, 12,750 ms in all.
#[test]
fn a_neighbour_with_due_times_shows_that_the_server_has_stopped() {
    let args = ["--keep-alive", "--connections", "1", "--duration", "1"];
    let apart = ["--neighbour", "/first-late", "--neighbour-rate", "100"];
    let (report, ..) = all_answered(&[&args[..], &apart].concat(), "/");
    let figure = |name: &str| report[name].as_f64().unwrap_or_else(|| panic!("{name}: {report}"));
    assert!(figure("neighbour_requests") <= 100.0, "{report}");
    assert!(figure("neighbour_mean_ms") >= 127.0, "{report}");
    assert!(figure("neighbour_p999_ms") >= 499.0, "{report}");
}

/// The server stops for half a second, and then answers at once. At a hundred a second, what was due more than 100 ms before
/// it went on is not in time, though most of it was sent later: at most 60 of each hundred are.
#[test]
fn in_time_counts_from_when_a_request_was_due() {
    let args = ["--keep-alive", "--connections", "1", "--duration", "1", "--in-time", "100"];
    let rates = ["--rate", "100", "--neighbour-rate", "100", "--neighbour"];
    for (path, neighbour, most) in
        [("/first-late", "/", [60, 100]), ("/", "/first-late", [100, 60])]
    {
        let (report, ..) = all_answered(&[&args[..], &rates, &[neighbour]].concat(), path);
        let names = ["in_time_per_second", "neighbour_in_time_per_second"];
        let seconds = number(&report, "duration_seconds");
        let [main, apart] = names.map(|name| (number(&report, name) * seconds).round() as u64);
        assert!((1..=most[0]).contains(&main), "{main} of {path}: {report}");
        assert!((1..=most[1]).contains(&apart), "{apart} of {neighbour}: {report}");
        assert!(main <= count(&report, "requests"), "{report}");
        assert!(apart <= count(&report, "neighbour_requests"), "{report}");
    }
}

/// In a closed loop only the first request meets the stop, and the others are in time.
#[test]
fn in_time_of_a_closed_loop_counts_from_when_a_request_was_sent() {
    let args = ["--keep-alive", "--connections", "1", "--duration", "1", "--in-time", "400"];
    let (report, ..) = all_answered(&args, "/first-late");
    let [in_time, all] =
        ["in_time_per_second", "requests_per_second"].map(|it| number(&report, it));
    assert!(0.0 < in_time && in_time < all, "{report}");
    assert_eq!(report["neighbour_in_time_per_second"], Value::Null);
}

/// However quickly the server refuses.
#[test]
fn a_refusal_is_never_in_time() {
    let args = ["--keep-alive", "--connections", "1", "--duration", "0.3", "--in-time", "2000"];
    let names = ["in_time_per_second", "neighbour_in_time_per_second"];
    for (path, neighbour) in [("/busy", "/"), ("/", "/busy")] {
        let (report, ..) = all_answered(&[&args[..], &["--neighbour", neighbour]].concat(), path);
        let [main, apart] = names.map(|name| number(&report, name));
        assert_eq!((main > 0.0, apart > 0.0), (path == "/", neighbour == "/"), "{report}");
        assert!(count(&report, "requests") > 0, "{report}");
        assert!(count(&report, "neighbour_requests") > 0, "{report}");
    }
}

#[test]
fn what_is_no_whole_answer_is_a_read_error() {
    for path in ["/cut", "/long", "/garbage", "/nothing"] {
        for mode in [&[][..], &["--keep-alive"]] {
            let server = Counting::start();
            let args = [&["--connections", "3", "--duration", "0.2"], mode].concat();
            let report = load(&args, &server.url(path));
            check_sum(&report);
            assert!(count(&report, "errors_read") > 0, "{path}: {report}");
            assert_eq!(count(&report, "requests"), 0, "{path}: {report}");
            let first = report["first_error"].as_str().expect("there was one");
            assert!(first.starts_with("read: "), "{path}: {first}");
            // Who has answered nothing was not quick.
            assert_eq!(report["latency"]["p50_ms"], Value::Null, "{path}: {report}");
        }
    }
}

#[test]
fn other_statuses_are_answers_and_are_counted() {
    let (report, _, requests) = all_answered(&["--duration", "0.2"], "/missing");
    assert_eq!(count(&report, "non_2xx"), requests, "{report}");
    assert_eq!(errors(&report), 0, "{report}");
}

#[test]
fn an_answer_that_never_comes_is_a_timeout_and_has_its_place_in_the_latencies() {
    let server = Counting::start();
    let args = ["--connections", "2", "--duration", "1", "--timeout", "0.2"];
    let report = load(&args, &server.url("/silent"));
    check_sum(&report);
    assert!(count(&report, "errors_timeout") > 0, "{report}");
    assert_eq!(count(&report, "requests"), 0, "{report}");
    assert!(latency(&report, "p50_ms") >= 200.0, "{report}");
}

#[test]
fn what_is_in_flight_at_the_end_is_not_forgotten() {
    let server = Counting::start();
    // Two connections, of which neither is ever free again: most requests are never sent.
    let args = ["--rate", "10", "--connections", "2", "--duration", "1"];
    let report = load(&args, &server.url("/silent"));
    check_sum(&report);
    assert_eq!(count(&report, "due"), 10, "{report}");
    assert!((1..=2).contains(&count(&report, "unanswered")), "{report}");
    // The first was due at the start.
    assert!(latency(&report, "max_ms") >= 1000.0, "{report}");
    // Of the never sent ones half waited for more than half of the time.
    assert!(latency(&report, "p50_ms") >= 400.0, "{report}");
}

#[test]
fn an_open_loop_sends_what_is_due() {
    let (report, _, requests) = all_answered(&["--rate", "100", "--duration", "0.5"], "/");
    assert_eq!(count(&report, "due"), 50, "{report}");
    assert_eq!(requests + count(&report, "never_sent"), 50, "{report}");
    assert_eq!(report["latency"]["corrected"], true);
}

/// How many are due at random is random, and the seed says how many.
#[test]
fn random_arrivals_are_those_of_their_seed() {
    let due = |more: &[&str]| {
        let args = ["--rate", "300", "--duration", "0.5", "--arrivals", "poisson"];
        let (report, _, requests) = all_answered(&[&args, more].concat(), "/");
        assert_eq!(
            (report["arrivals"].as_str(), count(&report, "sent")),
            (Some("poisson"), requests)
        );
        (count(&report, "due"), count(&report, "seed"))
    };
    let (first, seed) = due(&[]);
    assert_eq!(due(&["--seed", &seed.to_string()]), (first, seed));
    // 150 are expected, and the deviation is their square root.
    assert!((75..225).contains(&first), "{first}");
}

#[test]
fn a_closed_loop_keeps_the_law() {
    let server = ladder_tests::Rung::named("ch06_tokio").start(&["--keep-alive"]);
    let args = ["--keep-alive", "--connections", "5", "--duration", "1"];
    let report = load(&args, &server.url("/sleep"));
    check_sum(&report);
    assert_eq!(errors(&report), 0, "{report}");
    // Each connection has at most one answer in 100 ms. The time is that of the generator's own clock.
    let seconds = report["duration_seconds"].as_f64().expect("a number");
    assert!(count(&report, "requests") as f64 <= 5.0 * seconds / 0.1, "{report}");
    assert!(latency(&report, "p50_ms") >= 100.0, "{report}");
    assert_eq!(report["latency"]["corrected"], false);
    assert_eq!(report["rate"], Value::Null);
}

/// Both generators count what a third party saw, the server: so far as they agree with it, they agree.
#[test]
fn wrk_and_load_count_what_the_server_saw() {
    const CONNECTIONS: u64 = 10;
    if cfg!(windows) || !have("wrk") {
        return;
    }
    // At the end of a run each connection may have one request under way, which the server has seen.
    let agrees = |answered: u64, seen: u64| {
        assert!(answered > CONNECTIONS, "{answered} answers are too few to tell");
        let counted = answered..=answered + CONNECTIONS;
        assert!(counted.contains(&seen), "{answered} answers of {seen} requests");
    };
    let server = Counting::start();
    let report =
        load(&["--keep-alive", "--connections", "10", "--duration", "1"], &server.url("/"));
    agrees(count(&report, "requests") + count(&report, "requests_late"), server.requests());

    let server = Counting::start();
    let wrk =
        run(Command::new("wrk").args(["-t1", "-c10", "-d1s", &server.url("/")]), 2 * DEADLINE);
    assert_eq!(wrk.code, Some(0), "{wrk:?}");
    let line = Regex::new(r"(\d+) requests in ").expect("it is a pattern");
    let answered = line.captures(&wrk.stdout).expect("wrk says how many")[1].parse();
    agrees(answered.expect("a number"), server.requests());
}

#[test]
fn a_table_is_for_readers_and_json_for_programs() {
    let server = Counting::start();
    let table = |args: &[&str]| {
        run(example("load").args(args).args(["--duration", "0.2", &server.url("/")]), DEADLINE)
    };
    let closed = table(&[]);
    assert_eq!(closed.code, Some(0));
    for words in ["closed loop", "sent ", "answered", "99.9%", "from its start"] {
        assert!(closed.stdout.contains(words), "no {words:?}:\n{}", closed.stdout);
    }
    let open = table(&["--rate", "50", "--keep-alive"]);
    for words in ["open loop, 50 requests a second", "never sent", "the moment it was due"] {
        assert!(open.stdout.contains(words), "no {words:?}:\n{}", open.stdout);
    }
    assert!(!open.stdout.contains("in time"), "nobody asked:\n{}", open.stdout);
    let in_time = table(&["--neighbour", "/", "--in-time", "250.5"]);
    for words in ["with status 200 within 250.5 ms, ", "of the neighbour's, "] {
        assert!(in_time.stdout.contains(words), "no {words:?}:\n{}", in_time.stdout);
    }
    let json = load(&["--duration", "0.2"], &server.url("/"));
    assert_eq!(json["in_time_per_second"], Value::Null);
    assert_eq!(json["generator"], "load");
    assert_eq!(json["url"], server.url("/"));
}

#[test]
fn bad_options_are_refused_in_one_line() {
    let finish = |args: &[&str]| -> Finished { run(example("load").args(args), DEADLINE) };
    for args in [
        &[][..],
        &["https://127.0.0.1/"],
        &["127.0.0.1:8080"],
        &["http://127.0.0.1:99999/"],
        &["--rate", "0", "http://127.0.0.1:1/"],
        &["--connections", "none", "http://127.0.0.1:1/"],
        &["--frobnicate", "http://127.0.0.1:1/"],
        &["http://127.0.0.1:1/", "http://127.0.0.1:1/"],
    ] {
        let finished = finish(args);
        assert_eq!(finished.code, Some(2), "{args:?}: {finished:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "{args:?}: {finished:?}");
        assert!(finished.stderr.starts_with("load: "), "{args:?}: {finished:?}");
        assert_eq!(finished.stdout, "", "{args:?}");
    }
    let help = finish(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("--rate"), "{}", help.stdout);
}

#[test]
fn nobody_listening_is_said_at_once() {
    // Bound, but nobody calls `listen`: the port stays refused as long as this lives.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
    let socket = socket.expect("a socket");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port");
    let address = socket.local_addr().expect("it is bound").as_socket().expect("an IP address");
    let finished = run(example("load").arg(format!("http://{address}/")), DEADLINE);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stderr.lines().count(), 1, "{finished:?}");
    assert!(finished.stderr.contains(&address.to_string()), "{finished:?}");
}

/// A running generator. It is killed when it is dropped.
struct Running(Child);

impl Running {
    fn start(args: &[&str], url: &str) -> Running {
        let mut command: Command = example("load");
        command.args(args).args(["--json", url]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().expect("it was built"))
    }

    fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }

    /// Waits for its end, which is near: the exit code and the report.
    fn finish(mut self) -> (Option<i32>, Value) {
        wait_until("the generator ends", || !self.is_running());
        let status = self.0.wait().expect("a child can be waited for");
        let text = std::io::read_to_string(self.0.stdout.take().expect("it is piped"));
        (status.code(), json(&text.expect("it is text")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
mod on_unix {
    use ladder_tests::{Client, Rung, Server, Signal, send_signal};

    use super::*;

    #[test]
    fn ctrl_c_prints_what_there_is() {
        for loops in [&[][..], &["--rate", "100"]] {
            let server = Counting::start();
            let running =
                Running::start(&[&["--duration", "600"], loops].concat(), &server.url("/"));
            wait_until("requests arrive", || server.requests() > 20);
            send_signal(running.0.id(), Signal::Interrupt).expect("it still runs");
            let (code, report) = running.finish();
            assert_eq!(code, Some(130), "{report}");
            check_sum(&report);
            assert_eq!(report["interrupted"], true);
            assert!(count(&report, "requests") > 0, "{report}");
            assert!(report["duration_seconds"].as_f64() < Some(600.0), "{report}");
        }
    }

    /// The number that `/tenth` gives the next request: how many there were.
    fn asked_so_far(server: &Server) -> u64 {
        let mut client = Client::connect(server).unwrap();
        client.get("/tenth?ms=0").unwrap();
        let answer = client.response().unwrap();
        // "request 7 did not wait"
        let number = answer.text().split(' ').nth(1).and_then(|digits| digits.parse().ok());
        number.unwrap_or_else(|| panic!("no number in {answer:?}"))
    }

    /// How long after the start of the generator's five seconds a pause must be over.
    const IN_TIME: Duration = Duration::from_secs(4);

    /// Lets the generator ask a server that is stopped for a second in the middle.
    /// `None` where the pause was over so late that the report says nothing about it.
    fn with_a_pause(loops: &[&str]) -> Option<Value> {
        let server = Rung::named("ch06_tokio").start(&["--keep-alive"]);
        let args = ["--keep-alive", "--connections", "20", "--duration", "5"];
        let start = Instant::now();
        let running = Running::start(&[&args, loops].concat(), &server.url("/tenth?ms=0"));
        wait_until("requests arrive", || asked_so_far(&server) > 50);
        server.signal(Signal::Stop);
        thread::sleep(Duration::from_secs(1));
        server.signal(Signal::Continue);
        let in_time = start.elapsed() < IN_TIME;
        let (code, report) = running.finish();
        assert_eq!(code, Some(0), "{report}");
        check_sum(&report);
        assert_eq!(errors(&report), 0, "{report}");
        in_time.then_some(report)
    }

    /// The same, tried again where the machine was too slow for it.
    fn a_pause_in_time(loops: &[&str]) -> Value {
        let found = (0..4).find_map(|_| with_a_pause(loops));
        found.expect("once in four times the machine is fast enough")
    }

    #[test]
    fn an_open_loop_shows_a_pause_and_a_closed_loop_hides_it() {
        // Side by side, because each takes five seconds, in which it mostly waits.
        let (open, closed) = thread::scope(|scope| {
            let open = scope.spawn(|| a_pause_in_time(&["--rate", "200"]));
            let closed = a_pause_in_time(&[]);
            (open.join().expect("the report is there"), closed)
        });
        // 200 of 1000 requests were due within the second, and 140 of them in its first 0.7 s.
        assert_eq!(count(&open, "due"), 1000, "{open}");
        assert!(latency(&open, "p90_ms") >= 300.0, "{open}");
        assert!(latency(&open, "p99_ms") >= 900.0, "{open}");
        assert!(latency(&open, "max_ms") >= 990.0, "{open}");

        // One request of each connection met the pause, and no more.
        assert!(latency(&closed, "max_ms") >= 900.0, "{closed}");
        let all = count(&closed, "requests") + count(&closed, "requests_late");
        // 20 slow ones are less than a tenth of so many, and few enough that a slow machine proves nothing.
        if all > 200 * 20 {
            assert!(latency(&closed, "p90_ms") < 900.0, "{closed}");
        }
    }
}
