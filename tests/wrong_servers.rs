//! The wrong servers: each has its fault, seen over real sockets, and nothing else is wrong with it.
//! What is wrong with the event loops among them, `event_loop.rs` shows beside the one that is right.

use ladder_tests::{
    Client, DEADLINE, End, Finished, Server, WRONG_SERVERS, example, run, run_to_end,
};
use site::{compute, hello_html};

/// Those whose answers are right, with the options that mean something to each.
const ANSWER_WELL: [(&str, &[&str]); 9] = [
    ("none", &["--keep-alive"]),
    ("stop-on-accept-error", &["--keep-alive"]),
    ("short-backlog", &["--keep-alive"]),
    ("blocking-in-task", &["--keep-alive", "--threads"]),
    ("accept-once", &["--keep-alive"]),
    ("never-gives-way", &["--keep-alive"]),
    ("never-comes-back", &["--keep-alive"]),
    ("reused-token", &["--keep-alive"]),
    ("spin-on-accept-error", &["--keep-alive"]),
];

/// Those whose answers are not.
const ANSWER_BADLY: [&str; 4] =
    ["malformed-head", "read-once", "one-read-for-an-event", "parses-nothing"];

/// The server with this fault.
#[track_caller]
fn start(fault: &str, args: &[&str]) -> Server {
    WRONG_SERVERS.launch().args(&["--fault", fault]).args(args).start()
}

/// What the fault says that does not become a server.
#[track_caller]
fn refused(args: &[&str]) -> Finished {
    run_to_end(*WRONG_SERVERS, args)
}

/// Asks on a connection of its own; the status and the body.
#[track_caller]
fn ask(server: &Server, target: &str) -> (u16, String) {
    let mut client = Client::connect(server).unwrap();
    client.get(target).unwrap();
    let response = client.response().unwrap();
    (response.status, response.text().to_owned())
}

/// The number of a request to `/tenth`, by its answer: `request 3 did not wait`.
#[track_caller]
fn number(answer: &str) -> u64 {
    let number = answer.split(' ').nth(1).and_then(|digits| digits.parse().ok());
    number.unwrap_or_else(|| panic!("no number in {answer:?}"))
}

/// A request head of this many bytes. It is sent in one piece.
fn head_of(length: usize) -> String {
    let start = "GET /work?n=1 HTTP/1.1\r\nHost: localhost\r\nCookie: ";
    let filling = length - start.len() - "\r\n\r\n".len();
    format!("{start}{}\r\n\r\n", "x".repeat(filling))
}

#[test]
fn all_answers_but_the_bad_ones_are_right() {
    for (fault, _) in ANSWER_WELL {
        println!("with the fault {fault}:");
        for flags in [&[][..], &["--keep-alive"]] {
            answers_well(&start(fault, flags));
        }
    }
}

#[track_caller]
fn answers_well(server: &Server) {
    let hello = std::fs::read_to_string(hello_html()).expect("the site has this file");
    assert!(ask(server, "/").1.contains("</html>"));
    assert_eq!(ask(server, "/sleep?ms=1"), (200, "slept 1 ms\n".to_owned()));
    assert_eq!(ask(server, "/file"), (200, hello));
    assert_eq!(ask(server, "/work?n=3"), (200, compute(3)));
    assert_eq!(ask(server, "/nowhere").0, 404);
    for expected in 1..=10 {
        let (status, body) = ask(server, "/tenth?ms=1");
        assert_eq!((status, number(&body)), (200, expected));
    }

    // However the request comes in pieces, and however long it is.
    let mut client = Client::connect(server).unwrap();
    for byte in b"GET /work?n=2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" {
        client.send([*byte]).unwrap();
    }
    assert_eq!(client.response().unwrap().text(), compute(2));
    client.ends().unwrap();
    let mut client = Client::connect(server).unwrap();
    client.send(head_of(8000)).unwrap();
    assert_eq!(client.response().unwrap().status, 200);

    let mut client = Client::connect(server).unwrap();
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert_eq!(client.response_to_head().unwrap().status, 200);
    // Both modes are what they are called.
    let mut client = Client::connect(server).unwrap();
    client.get("/work?n=1").unwrap();
    let response = client.response().unwrap();
    if server.can.keep_alive {
        assert_eq!(response.header("Connection"), None, "{response:?}");
        client.get("/work?n=2").unwrap();
        client.get("/work?n=3").unwrap();
        assert_eq!(client.response().unwrap().text(), compute(2));
        assert_eq!(client.response().unwrap().text(), compute(3));
    } else {
        assert_eq!(response.header("Connection"), Some("close"), "{response:?}");
        client.ends().unwrap();
    }
}

#[test]
fn a_malformed_head_has_no_fields_and_is_followed_by_them() {
    let server = start("malformed-head", &[]);
    let page = ask(&start("none", &[]), "/").1;
    for target in ["/", "/nowhere"] {
        let mut client = Client::connect(&server).unwrap();
        client.get(target).unwrap();
        let (bytes, end) = client.rest().unwrap();
        // It announces that the connection stays, and closes it.
        assert_eq!(end, End::Closed);

        let mut headers = [httparse::EMPTY_HEADER; 8];
        let mut parsed = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = parsed.parse(&bytes).expect("a status line")
        else {
            panic!("no head: {}", bytes.escape_ascii());
        };
        assert_eq!(parsed.code, Some(if target == "/" { 200 } else { 404 }));
        assert_eq!(parsed.headers.len(), 0, "fields in the head");
        let body = std::str::from_utf8(&bytes[length..]).expect("text");
        assert!(body.starts_with("Connection: keep-alive\nContent-Length: "), "{body:?}");
        if target == "/" {
            assert!(body.ends_with(&format!("    \r\n\r\n{page}")), "{body:?}");
            assert!(body.contains(&format!("\nContent-Length: {}\n", page.len() - 2)), "{body:?}");
        }
    }
}

#[test]
fn one_read_is_taken_for_the_whole_request() {
    let (good, bad) = (start("none", &[]), start("read-once", &[]));
    assert_eq!(ask(&bad, "/work?n=3"), (200, compute(3)));
    assert_eq!(ask(&bad, "/file"), ask(&good, "/file"));

    // The first half is answered, before there is a second.
    for half in ["GET /work?n=3 HT", "GET /work?n=3 HTTP/1.1\r\n"] {
        let mut client = Client::connect(&bad).unwrap();
        client.send(half).unwrap();
        assert_eq!(client.response().unwrap().status, 400, "the answer to half a request");
        client.ends().unwrap();

        let mut client = Client::connect(&good).unwrap();
        client.send(half).unwrap();
        client.send(&"GET /work?n=3 HTTP/1.1\r\nHost: a\r\n\r\n"[half.len()..]).unwrap();
        assert_eq!(client.response().unwrap().text(), compute(3));
    }

    // The rest of a long one is never read, and the connection ends with a reset.
    let ask_at_length = |server: &Server| {
        let mut client = Client::connect(server).unwrap();
        client.send(head_of(8000)).unwrap();
        client.rest().unwrap().1
    };
    assert_eq!(ask_at_length(&bad), End::Reset);
    assert_eq!(ask_at_length(&good), End::Closed);
}

/// One thread, and a client for whom it sleeps: whoever is next gets the answer after that client has one.
#[test]
fn a_blocking_call_in_a_task_holds_its_thread() {
    // Where the threads are not the runtime's, the second answer comes while the first client waits.
    // That is so for three seconds, and says nothing after that.
    ladder_tests::conclusive(std::time::Duration::from_millis(2900), || {
        let second_waited = second_waits_for_first("none", &[], 3000);
        assert!(!second_waited, "with a thread each, nobody waits for another");
    });
    assert!(second_waits_for_first("blocking-in-task", &["--threads", "1"], 500));
}

/// Whether the first client had its answer, which takes `ms` milliseconds, when the second client had its own.
#[track_caller]
fn second_waits_for_first(fault: &str, args: &[&str], ms: u32) -> bool {
    for attempt in 1..=10 {
        let server = start(fault, args);
        for expected in 1..10 {
            assert_eq!(number(&ask(&server, "/tenth?ms=0").1), expected);
        }
        let (mut first, mut second) =
            (Client::connect(&server).unwrap(), Client::connect(&server).unwrap());
        first.get(&format!("/tenth?ms={ms}")).unwrap();
        // A head start. Which of the two was the tenth, and so waits, the answer tells.
        std::thread::sleep(std::time::Duration::from_millis(30 * attempt));
        second.get("/tenth?ms=0").unwrap();
        if number(second.response().unwrap().text()) == 11 {
            return first.hears_within(std::time::Duration::from_millis(1));
        }
    }
    panic!("ten times the second request was faster");
}

#[test]
fn its_first_line_says_what_is_wrong() {
    let all = ANSWER_WELL.into_iter().chain(ANSWER_BADLY.map(|fault| (fault, &[][..])));
    for (fault, takes) in all {
        let threads = takes.contains(&"--threads");
        let server = start(fault, if threads { &["--threads", "3"] } else { &[] });
        let (line, address, id) = (&server.line, server.address, server.id());
        let begins = format!("wrong_servers: listening on http://{address}/ with ");
        let fault = match fault {
            "none" => "without a fault".to_owned(),
            name => format!("with the fault {name}"),
        };
        assert!(line.starts_with(&begins), "{line:?}");
        assert!(line.ends_with(&format!(", {fault}, process id {id}")), "{line:?}");
        assert!(!threads || line.contains("3 "), "{line:?} does not say that there are 3 threads");
        assert!(address.ip().is_loopback(), "{address} is not this machine alone");
    }
    // Nobody has to ask for the correct one.
    assert!(WRONG_SERVERS.start(&[]).line.contains(", without a fault, "));
}

#[test]
fn a_taken_port_is_named() {
    for (fault, _) in ANSWER_WELL {
        let holder = start(fault, &[]);
        let port = holder.address.port().to_string();
        let finished = refused(&["--port", &port, "--fault", fault]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(1), ""), "{finished:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "one line: {finished:?}");
        for words in ["wrong_servers", &port, "another program holds that port"] {
            assert!(finished.stderr.contains(words), "{words:?} in {finished:?}");
        }
    }
}

#[test]
fn refuses_bad_flags() {
    let mut cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["--port", "70000"], "--port"),
        (vec!["--port", "x"], "--port"),
        (vec!["--port"], "--port"),
        (vec!["--fault"], "--fault"),
        (vec!["--fault", "nonsense"], "nonsense"),
        (vec!["--fault", "No\nne"], "No"),
        (vec!["--nonsense"], "--nonsense"),
        (vec!["--keep-alive=yes"], "--keep-alive"),
        (vec!["stray"], "stray"),
        (vec!["--fault", "blocking-in-task", "--threads", "0"], "--threads"),
        (vec!["--fault", "blocking-in-task", "--threads", "many"], "--threads"),
        (vec!["--fault", "blocking-in-task", "--threads", "1025"], "--threads"),
        // An option that would change nothing, in whatever order.
        (vec!["--threads", "2"], "--threads"),
    ];
    let all = ANSWER_WELL.into_iter().chain(ANSWER_BADLY.map(|fault| (fault, &[][..])));
    for (fault, takes) in all {
        for (flag, rest) in [("--keep-alive", &[][..]), ("--threads", &["2"])] {
            if !takes.contains(&flag) {
                cases.push(([&[flag][..], rest, &["--fault", fault]].concat(), flag));
            }
        }
    }
    for (args, words) in cases {
        let mut all = vec!["--port", "0"];
        all.extend(&args);
        let finished = refused(&all);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "one line for {args:?}: {finished:?}");
        for words in ["wrong_servers", words] {
            assert!(finished.stderr.contains(words), "{words:?} for {args:?} in {finished:?}");
        }
    }
}

#[test]
fn explains_itself() {
    for flag in ["--help", "-h"] {
        let finished = run(example("wrong_servers").arg(flag), DEADLINE);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
        let faults = ANSWER_WELL.map(|(fault, _)| fault).into_iter().chain(ANSWER_BADLY);
        for words in faults.chain(["wrong on purpose", "--port", "--keep-alive", "--threads"]) {
            assert!(finished.stdout.contains(words), "{words:?} in {finished:?}");
        }
    }
}

#[cfg(unix)]
mod on_unix {
    use ladder_tests::wait_until;

    use super::*;

    /// More clients than descriptors: the one server is gone, and the other serves again when they leave.
    #[test]
    fn an_error_of_accept_ends_the_server() {
        let crowd = |server: &Server| -> Vec<Client> {
            (0..60).filter_map(|_| Client::try_connect(server, DEADLINE).ok()).collect()
        };
        let launch = |fault: &str| {
            WRONG_SERVERS.launch().args(&["--fault", fault, "--keep-alive"]).limit_files(32).start()
        };

        let mut server = launch("stop-on-accept-error");
        assert_eq!(ask(&server, "/").0, 200);
        let clients = crowd(&server);
        // A panic on the main thread ends a process with this status.
        assert_eq!(server.wait(DEADLINE).code(), Some(101));
        assert!(server.stderr().contains("code: 24"), "not EMFILE: {}", server.stderr());
        assert!(Client::try_connect(&server, DEADLINE).is_err(), "nobody listens any more");
        drop(clients);

        let mut server = launch("none");
        let clients = crowd(&server);
        assert_eq!(clients.len(), 60);
        wait_until("the server says that it can accept nobody", || {
            server.stderr().contains("cannot accept a connection")
        });
        drop(clients);
        assert_eq!(ask(&server, "/").0, 200);
        assert!(server.is_running());
    }
}

#[cfg(target_os = "linux")]
mod on_linux {
    use std::{fs, process::Command, time::Duration};

    use ladder_tests::{have, wait_until};

    use super::*;

    #[test]
    fn a_short_backlog_is_full_sooner() {
        let connects = |fault: &str, limit: Duration| {
            let server = start(fault, &[]);
            // A server that is stopped accepts nobody.
            let stop = format!("kill -STOP {}", server.id());
            assert_eq!(run(Command::new("sh").args(["-c", &stop]), DEADLINE).code, Some(0));
            wait_until("the server is stopped", || {
                let state = fs::read_to_string(format!("/proc/{}/stat", server.id()));
                state.expect("it is there").contains(") T ")
            });
            let connect = || Client::try_connect(&server, limit).ok();
            // Held, so that nobody leaves the queue.
            std::iter::from_fn(connect).take(200).collect::<Vec<Client>>().len()
        };
        let short = connects("short-backlog", Duration::from_secs(2));
        assert!(short <= 129, "{short} connections wait, and only 128 and one more should");
        assert_eq!(connects("none", DEADLINE), 200);
    }

    #[test]
    fn the_length_of_the_backlog_can_be_looked_up() {
        if !have("ss") {
            return;
        }
        let most = fs::read_to_string("/proc/sys/net/core/somaxconn").expect("Linux has it");
        let most: u32 = most.trim().parse().expect("a number");
        for (fault, length) in [("short-backlog", 128), ("none", 1024)] {
            let server = start(fault, &[]);
            let printed = run(Command::new("ss").args(["-l", "-t", "-n"]), DEADLINE).stdout;
            let address = server.address.to_string();
            let mut fields =
                printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            // State, connections in the queue, its length, address.
            let fields = fields.find(|fields| fields.get(3) == Some(&address.as_str()));
            let fields = fields.unwrap_or_else(|| panic!("no {address} in {printed}"));
            assert_eq!(fields[2], length.min(most).to_string(), "{fault}: {fields:?}");
        }
    }
}
