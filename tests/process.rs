//! A rung as a program: its command line, what it prints, and how it ends.

use std::{io, net::TcpListener, thread};

use ladder_tests::{
    Client, DEADLINE, EXPERIMENTS, RUNGS, Rung, Schedule, Server, WRONG_SERVERS, example,
    for_each_rung, run, run_to_end, tool,
};

for_each_rung! {
    every: [
        prints_one_line_and_nothing_per_request,
        says_that_its_port_is_taken,
        refuses_bad_flags,
        explains_itself,
        #[cfg(unix)]
        ends_on_a_signal,
        #[cfg(unix)]
        ends_on_a_signal_that_comes_at_once,
        #[cfg(unix)]
        ends_on_a_signal_whatever_clients_do,
        #[cfg(unix)]
        ends_at_once_where_nothing_is_in_flight,
    ]
    OneThread: [
        #[cfg(unix)]
        ends_with_a_full_backlog,
    ]
    Pool: [
        #[cfg(target_os = "linux")]
        finishes_its_queue,
    ]
    ch03_threadpool: [
        #[cfg(unix)]
        ends_with_a_full_backlog,
    ]
    Tasks: [
        #[cfg(target_os = "linux")]
        ends_on_a_signal_while_workers_compute,
    ]
}

/// Sends one request on a connection of its own, and returns the status of the answer.
#[track_caller]
fn ask(server: &Server, target: &str) -> u16 {
    let mut client = Client::connect(server);
    client.get(target);
    client.response().status
}

fn prints_one_line_and_nothing_per_request(rung: Rung) {
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = rung.launch_with_threads(3).args(flags).start();
        let (address, id) = (server.address, server.id());
        let line = server.line.clone();
        let start = format!("{}: listening on http://{address}/ with ", rung.name);
        let end = format!(", process id {id}");
        let threads = line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end));
        let threads = threads.unwrap_or_else(|| panic!("{line:?} is not {start:?} ... {end:?}"));
        assert!(!threads.is_empty(), "{line:?} says nothing about threads");
        if rung.takes_threads {
            assert!(threads.contains('3'), "{line:?} does not say that there are 3 threads");
        }
        assert!(address.ip().is_loopback(), "{address} is not this machine alone");

        for target in ["/", "/sleep?ms=1", "/tenth", "/file", "/work", "/nowhere", "/sleep?ms=x"] {
            ask(&server, target);
        }
        let mut bad = Client::connect(&server);
        bad.send("garbage\r\n\r\n");
        assert_eq!(bad.response().status, 400);
        Client::connect(&server).reset();
        assert_eq!(ask(&server, "/"), 200);
        assert!(server.is_running());
        let (stdout, stderr) = server.kill();
        assert_eq!(stdout, line + "\n", "one line and nothing else on standard output");
        assert_eq!(stderr, "", "nothing on standard error");
    }
}

fn says_that_its_port_is_taken(rung: Rung) {
    let holder = TcpListener::bind("127.0.0.1:0").expect("some port is free");
    let port = holder.local_addr().expect("it is bound").port().to_string();
    let finished = run_to_end(rung, &["--port", &port]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stdout, "", "{finished:?}");
    assert_eq!(finished.stderr.lines().count(), 1, "one line: {finished:?}");
    for words in [rung.name, &port, "--port"] {
        assert!(finished.stderr.contains(words), "{words:?} in {finished:?}");
    }
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

fn refuses_bad_flags(rung: Rung) {
    let mut cases: Vec<(&[&str], &str)> = vec![
        (&["--port", "70000"], "--port"),
        (&["--port", "-1"], "--port"),
        (&["--port", "x"], "--port"),
        (&["--port", ""], "--port"),
        (&["--port"], "--port"),
        (&["--port", "0", "--nonsense"], "--nonsense"),
        (&["--port", "0", "--keep-alive=yes"], "--keep-alive"),
        (&["--port", "0", "stray"], "stray"),
        (&["-x"], "-x"),
        // Where there is no pool the flag itself is the mistake; where there is one, the number.
        (&["--port", "0", "--threads", "0"], "--threads"),
        (&["--port", "0", "--threads", "many"], "--threads"),
    ];
    if !rung.takes_threads {
        cases.push((&["--port", "0", "--threads", "4"], "--threads"));
    }
    for (args, words) in cases {
        let finished = run_to_end(rung, args);
        assert_eq!(finished.code, Some(2), "{args:?}: {finished:?}");
        assert_eq!(finished.stdout, "", "{args:?}: {finished:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "one line for {args:?}: {finished:?}");
        for words in [rung.name, words, "--help"] {
            assert!(finished.stderr.contains(words), "{words:?} for {args:?} in {finished:?}");
        }
    }
}

fn explains_itself(rung: Rung) {
    for flag in ["--help", "-h"] {
        let finished = run_to_end(rung, &[flag]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(finished.stderr, "", "{finished:?}");
        for words in [rung.name, "--port", "--keep-alive", "8080"] {
            assert!(finished.stdout.contains(words), "{words:?} in {finished:?}");
        }
        let threads = finished.stdout.contains("--threads");
        assert_eq!(threads, rung.takes_threads, "--threads in {finished:?}");
    }
    if rung.takes_threads {
        let line = rung.start(&[]).line.clone();
        assert!(line.contains(" with 8 "), "{line:?} does not say that there are 8 threads");
    }
}

/// Whatever a program has to say, it ends as it should where both its pipes are closed: `println!` and
/// `eprintln!` would panic there, and the exit status would be 101.
#[test]
fn no_program_minds_that_nobody_listens() {
    let servers = RUNGS.iter().chain([&WRONG_SERVERS]).map(|rung| rung.name);
    for name in servers.chain(EXPERIMENTS).chain(["load"]) {
        for (flag, code) in [("--nonsense", 2), ("--help", 0)] {
            let unheard = || {
                let (reader, writer) = io::pipe().expect("the system has a pipe left");
                drop(reader);
                writer
            };
            let status = example(name).arg(flag).stdout(unheard()).stderr(unheard()).status();
            assert_eq!(status.expect("it starts").code(), Some(code), "{name} {flag}");
        }
    }
}

#[test]
fn the_tool_lists_the_servers_and_names_them_where_one_is_unknown() {
    let listed = run(tool().arg("servers"), DEADLINE);
    let names = listed.stdout.lines().filter_map(|line| line.split(' ').next());
    assert_eq!(names.collect::<Vec<_>>(), *servers::NAMES, "{listed:?}");
    let unknown = run(tool().args(["run", "ch03"]), DEADLINE);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    for words in ["no server `ch03`", "ch03_threadpool"] {
        assert!(unknown.stderr.contains(words), "{words:?} in {unknown:?}");
    }
}

/// `cargo xtask run` is the server from its first line on: the same process, so that signals reach it.
#[cfg(unix)]
#[test]
fn the_tool_becomes_the_server_that_it_runs() {
    use std::{
        io::{BufRead, BufReader},
        process::Stdio,
    };

    let mut command = tool();
    command.args(["run", "ch03_threadpool", "--", "--port", "0", "--threads", "3"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the tool starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    stdout.read_line(&mut line).expect("it is text");
    assert!(line.contains("with 3 worker threads"), "{line:?}");
    assert!(line.ends_with(&format!("process id {}\n", child.id())), "{line:?} {}", child.id());
    ladder_tests::send_signal(child.id(), ladder_tests::Signal::Terminate).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));

    let wrong = run(tool().args(["run", "ch03_threadpool", "--", "--nonsense"]), DEADLINE);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[cfg(unix)]
mod signals {
    use std::{
        io::ErrorKind,
        os::unix::process::ExitStatusExt,
        process::ExitStatus,
        time::{Duration, Instant},
    };

    use ladder_tests::{Signal, conclusive, raise_file_limit, skip, wait_until};
    use site::GRACE_TIME;

    use super::*;

    const SIGNALS: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

    /// Six times the five seconds that a server gives what is in flight.
    const GENEROUS: Duration = Duration::from_secs(30);

    /// What was still in flight when the five seconds were over.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Cut {
        /// Nothing: exit status 0.
        Nothing,
        /// Something: exit status 1.
        Something,
        /// That depends on how far the clients got.
        Perhaps,
    }

    /// Whether a server ended as its rung should: gently, or by the signal.
    #[track_caller]
    fn check_end(rung: Rung, status: ExitStatus, signal: Signal, cut: Cut) {
        if !rung.stops_gently() {
            assert_eq!(status.signal(), Some(signal.number()), "{status}");
            return;
        }
        match cut {
            Cut::Nothing => assert_eq!(status.code(), Some(0), "{status}"),
            Cut::Something => assert_eq!(status.code(), Some(1), "{status}"),
            Cut::Perhaps => assert!(matches!(status.code(), Some(0 | 1)), "{status}"),
        }
    }

    /// A client whose request is being handled for `ms` milliseconds, and no doubt about it:
    /// it is the tenth request to `/tenth`, because another one, sent later, was told that it is the eleventh.
    fn in_flight(server: &Server, ms: u32) -> Client {
        let ask = || {
            let mut client = Client::connect(server);
            client.get("/tenth?ms=0");
            let text = client.response().text().to_owned();
            let number = text.split(' ').nth(1).and_then(|digits| digits.parse().ok());
            number.unwrap_or_else(|| panic!("no number in {text:?}"))
        };
        for attempt in 1..=10 {
            let mut number: u64 = ask();
            while number % 10 != 9 {
                number = ask();
            }
            let mut client = Client::connect(server);
            client.get(&format!("/tenth?ms={ms}"));
            // A head start: tokio, for one, likes to run the newest task first.
            thread::sleep(Duration::from_millis(20 * attempt));
            // If this one is the tenth, it came before the client, which then does not wait at all.
            while number % 10 == 9 {
                number = ask();
            }
            if number % 10 == 1 {
                return client;
            }
        }
        panic!("ten times another request was faster");
    }

    pub fn ends_on_a_signal(rung: Rung) {
        if !rung.stops_gently() {
            // As any plain program: at once, and whoever waits for an answer waits in vain.
            for signal in SIGNALS {
                let mut server = rung.start(&[]);
                let mut client = Client::connect(&server);
                client.get("/sleep?ms=10000");
                server.signal(signal);
                check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing);
                assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
            }
            return;
        }
        thread::scope(|scope| {
            for signal in SIGNALS {
                for flags in [&[][..], &["--keep-alive"]] {
                    scope.spawn(move || finishes_what_is_in_flight(rung, signal, flags));
                }
            }
            scope.spawn(|| ends_after_the_grace(rung));
        });
    }

    /// Whoever reads the line that a server prints may end it, and it must know by then how to end.
    pub fn ends_on_a_signal_that_comes_at_once(rung: Rung) {
        for signal in SIGNALS {
            // Once is luck: the line and the signal's handler would be a moment apart.
            for _ in 0..15 {
                let mut server = rung.start(&[]);
                server.signal(signal);
                check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing);
            }
        }
    }

    fn finishes_what_is_in_flight(rung: Rung, signal: Signal, flags: &[&str]) {
        let ms = 1500;
        // On a machine that stalls that long the request is over before the signal comes.
        conclusive(Duration::from_millis(ms.into()), || finishes(rung, signal, flags, ms));
    }

    fn finishes(rung: Rung, signal: Signal, flags: &[&str], ms: u32) {
        let mut server = rung.start(flags);
        let mut client = in_flight(&server, ms);
        server.signal(signal);
        // Nobody may be served any more once somebody was turned away.
        let mut turned_away = false;
        while server.is_running() {
            if let Some(served) = is_served(&server) {
                assert!(!(served && turned_away), "served again, after it had stopped accepting");
                turned_away |= !served;
            }
        }
        let response = client.response();
        assert_eq!(response.status, 200, "{response:?}");
        assert!(response.text().ends_with(&format!("waited {ms} ms\n")), "{response:?}");
        // The server is closing: it says so, although this connection might have been kept.
        assert_eq!(response.header("Connection"), Some("close"), "{response:?}");
        client.ends();
        check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing);
        let refused = Client::try_connect(&server, Duration::from_secs(5)).map(drop);
        let refused = refused.map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::ConnectionRefused), "nobody listens any more");
        assert_eq!(server.stderr(), "", "nothing on standard error");
    }

    /// Whether a new client is served; nothing if that can't be told, because it only waits.
    fn is_served(server: &Server) -> Option<bool> {
        let Ok(mut client) = Client::try_connect(server, Duration::from_millis(500)) else {
            return Some(false);
        };
        if client.try_send("GET /work?n=0 HTTP/1.0\r\n\r\n").is_err() {
            return Some(false);
        }
        if !client.hears_within(Duration::from_millis(50)) {
            return None;
        }
        let (answer, _) = client.rest();
        Some(!answer.is_empty())
    }

    fn ends_after_the_grace(rung: Rung) {
        let mut server = rung.start(&[]);
        let mut client = in_flight(&server, 10_000);
        let start = Instant::now();
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Something);
        // Timers may be a little early.
        let least = GRACE_TIME - Duration::from_millis(100);
        assert!(start.elapsed() >= least, "gave it only {:?}", start.elapsed());
        assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
    }

    /// More polls that compute than a worker gets through. A runtime looks at its signals and timers between
    /// two polls, so a stop that relied on them alone would come much later.
    #[cfg(target_os = "linux")]
    pub fn ends_on_a_signal_while_workers_compute(rung: Rung) {
        let mut server = rung.launch_with_threads(1).start();
        let before = server.open_files();
        let ask_for = |_| {
            let mut client = Client::connect(&server);
            // In a debug build at least a tenth of a second each, on any machine.
            client.get("/work?n=100000");
            client
        };
        let clients: Vec<Client> = (0..300).map(ask_for).collect();
        wait_until("most are accepted", || server.open_files() >= before + 200);
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Something);
        drop(clients);
    }

    /// The grace is for those who wait for an answer, and nobody does.
    pub fn ends_at_once_where_nothing_is_in_flight(rung: Rung) {
        for signal in SIGNALS {
            conclusive(GRACE_TIME, || {
                let mut server = rung.start(&[]);
                assert_eq!(ask(&server, "/"), 200);
                let start = Instant::now();
                server.signal(signal);
                check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing);
                assert!(start.elapsed() < GRACE_TIME, "it waited for nobody");
            });
        }
    }

    /// One thread is busy, and more clients were accepted: they are in flight, too.
    #[cfg(target_os = "linux")]
    pub fn finishes_its_queue(rung: Rung) {
        // The good outcome takes one second of five; the bad one is an answer that never comes.
        conclusive(GRACE_TIME, || {
            let mut server = rung.launch_with_threads(1).start();
            let before = server.open_files();
            let mut clients = Vec::new();
            for target in ["/sleep?ms=1000", "/", "/work", "/file", "/tenth"] {
                let mut client = Client::connect(&server);
                client.get(target);
                clients.push(client);
            }
            wait_until("all five are accepted", || server.open_files() >= before + 5);
            server.signal(Signal::Terminate);
            for mut client in clients {
                assert_eq!(client.response().status, 200);
            }
            check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
        });
    }

    /// Each of these takes up to five seconds, so they run side by side, each with its own server.
    pub fn ends_on_a_signal_whatever_clients_do(rung: Rung) {
        let ends: [fn(Rung, Signal); 5] = [
            with_idle_clients,
            with_a_client_that_never_pauses,
            with_a_full_queue,
            with_many_clients,
            without_descriptors,
        ];
        thread::scope(|scope| {
            for ends in ends {
                for signal in SIGNALS {
                    scope.spawn(move || ends(rung, signal));
                }
            }
        });
    }

    /// A kept connection that is idle, one that has sent nothing, one that has sent half a request.
    fn with_idle_clients(rung: Rung, signal: Signal) {
        let mut server = rung.start(&["--keep-alive"]);
        let mut idle = Client::connect(&server);
        idle.get("/");
        assert_eq!(idle.response().status, 200);
        let silent = Client::connect(&server);
        let mut half = Client::connect(&server);
        half.send("GET / HTTP/1.1\r\n");
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps);
        assert!(idle.rest().0.is_empty(), "an answer that nobody asked for");
        drop((silent, half));
    }

    /// It keeps a kept connection busy, and on it the next answer has to be the last.
    fn with_a_client_that_never_pauses(rung: Rung, signal: Signal) {
        let mut server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
        let request = "GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n";
        let greedy = Client::connect(&server).never_pause(request);
        thread::sleep(Duration::from_millis(200));
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps);
        drop(greedy);
    }

    /// All threads of a pool are busy, its queue is full, and more clients wait to be accepted.
    fn with_a_full_queue(rung: Rung, signal: Signal) {
        let mut server = rung.launch_with_threads(2).start();
        let mut clients = Vec::new();
        for _ in 0..100 {
            let mut client = Client::connect(&server);
            client.get("/sleep?ms=10000");
            clients.push(client);
        }
        // So that the queue is full; the test holds as well if it is not yet.
        thread::sleep(Duration::from_millis(300));
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal, Cut::Something);
    }

    /// More clients sleep, or wait in the backlog, than a pool and its queue hold.
    fn with_many_clients(rung: Rung, signal: Signal) {
        let mut server = rung.launch_with_threads(2).start();
        let sleeper = |_| {
            let mut client = Client::connect(&server);
            client.get("/sleep?ms=10000");
            client
        };
        let mut clients: Vec<Client> = (0..400).map(sleeper).collect();
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps);
        for client in &mut clients {
            assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
        }
    }

    /// A server that can't accept anybody can still be stopped.
    fn without_descriptors(rung: Rung, signal: Signal) {
        let mut server = rung.launch().limit_files(32).start();
        let clients: Vec<Client> = (0..60).map(|_| Client::connect(&server)).collect();
        // Rung 1 holds one connection at a time, and never gets there.
        if rung.schedule != Schedule::OneThread {
            wait_until("the server says that it can accept nobody", || {
                server.stderr().contains("cannot accept a connection")
            });
        }
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps);
        drop(clients);
    }

    /// So many clients wait that the kernel takes no more: a server that wakes itself
    /// with a connection of its own must not wait for that one.
    pub fn ends_with_a_full_backlog(rung: Rung) {
        // The backlog, the pool's queue and threads, and a few more; in two rungs at once.
        let most = 1200;
        if !raise_file_limit(3 * most) {
            return skip("this needs 4,000 open files; to get them: ulimit -n 4000");
        }
        let mut server = rung.launch_with_threads(2).start();
        let connect = || Client::try_connect(&server, Duration::from_millis(1500)).ok();
        let mut waiting: Vec<Client> = std::iter::from_fn(|| {
            let mut client = connect()?;
            client.get("/sleep?ms=10000");
            Some(client)
        })
        .take(most)
        .collect();
        assert!(waiting.len() < most, "{most} clients do not fill the backlog");
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Something);
        for client in &mut waiting {
            assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
        }
    }
}

#[cfg(unix)]
use signals::*;
