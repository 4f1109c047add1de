//! A rung as a program: its command line, what it prints, and how it ends.

use std::{net::TcpListener, thread};

use ladder_tests::{Client, Rung, Server, for_each_rung, run_to_end};

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
    ch01_single_threaded: [
        #[cfg(unix)]
        ends_with_a_full_backlog,
    ]
    ch02_thread_spawn: []
    ch03_threadpool: [
        #[cfg(unix)]
        ends_with_a_full_backlog,
        #[cfg(target_os = "linux")]
        finishes_its_queue,
    ]
    ch04_async_std: []
    ch04_smol: []
    ch05_futures_executor: []
    ch05_futures_blocking: [
        #[cfg(target_os = "linux")]
        finishes_its_queue,
    ]
    ch06_tokio: []
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

#[cfg(unix)]
mod signals {
    use std::{
        io::ErrorKind,
        os::unix::process::ExitStatusExt,
        process::ExitStatus,
        time::{Duration, Instant},
    };

    use ladder_tests::{Kind, Signal, conclusive, raise_file_limit, skip, wait_until};
    use site::GRACE_TIME;

    use super::*;

    const SIGNALS: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

    /// Six times the five seconds that a server gives what is in flight.
    const GENEROUS: Duration = Duration::from_secs(30);

    /// Whether a server ended as its rung should: gently with code 0, or by the signal.
    #[track_caller]
    fn check_end(rung: Rung, status: ExitStatus, signal: Signal) {
        if rung.stops_gently {
            assert_eq!(status.code(), Some(0), "{status}");
        } else {
            assert_eq!(status.signal(), Some(signal.number()), "{status}");
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
        if !rung.stops_gently {
            // As any plain program: at once, and whoever waits for an answer waits in vain.
            for signal in SIGNALS {
                let mut server = rung.start(&[]);
                let mut client = Client::connect(&server);
                client.get("/sleep?ms=10000");
                server.signal(signal);
                check_end(rung, server.wait(GENEROUS), signal);
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
                check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), Signal::Terminate);
        // Timers may be a little early.
        let least = GRACE_TIME - Duration::from_millis(100);
        assert!(start.elapsed() >= least, "gave it only {:?}", start.elapsed());
        assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
    }

    /// The grace is for those who wait for an answer, and nobody does.
    pub fn ends_at_once_where_nothing_is_in_flight(rung: Rung) {
        for signal in SIGNALS {
            conclusive(GRACE_TIME, || {
                let mut server = rung.start(&[]);
                assert_eq!(ask(&server, "/"), 200);
                let start = Instant::now();
                server.signal(signal);
                check_end(rung, server.wait(GENEROUS), signal);
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
            check_end(rung, server.wait(GENEROUS), Signal::Terminate);
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
        check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), signal);
        for client in &mut clients {
            assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
        }
    }

    /// A server that can't accept anybody can still be stopped.
    fn without_descriptors(rung: Rung, signal: Signal) {
        let mut server = rung.launch().limit_files(32).start();
        let clients: Vec<Client> = (0..60).map(|_| Client::connect(&server)).collect();
        // Rung 1 holds one connection at a time, and never gets there.
        if rung.kind != Kind::OneThread {
            wait_until("the server says that it can accept nobody", || {
                server.stderr().contains("cannot accept a connection")
            });
        }
        server.signal(signal);
        check_end(rung, server.wait(GENEROUS), signal);
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
        check_end(rung, server.wait(GENEROUS), Signal::Terminate);
        for client in &mut waiting {
            assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
        }
    }
}

#[cfg(unix)]
use signals::*;
