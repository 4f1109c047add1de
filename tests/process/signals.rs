//! How a rung ends on SIGINT and SIGTERM.

use std::{
    io::ErrorKind,
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Client, Launch, Rung, Schedule, Server, Signal, conclusive, for_each_server, join_all,
    raise_file_limit, skip, wait_until,
};
use site::GRACE_TIME;

use crate::ask;

for_each_server! {
    every: [
        ends_on_a_signal,
        ends_on_a_signal_that_comes_at_once,
        lets_idle_clients_go,
        ends_at_once_on_a_second_signal,
        ends_on_a_signal_without_descriptors,
    ]
    every_slow: [ends_on_a_signal_whatever_clients_do]
    smoke: [ends_at_once_where_nothing_is_in_flight]
    OneThread_slow: [ends_with_a_full_backlog]
    Pool: [
        #[cfg(target_os = "linux")]
        finishes_its_queue,
        #[cfg(target_os = "linux")]
        lets_a_queue_of_idle_clients_go,
    ]
    Pool_slow: [ends_after_the_grace]
    ch03_threadpool: [
        ends_with_a_full_backlog,
        ends_when_its_terminal_is_closed,
        takes_two_signals_at_once_for_one,
        #[cfg(target_os = "linux")]
        ends_while_accept_holds_the_last_descriptor,
    ]
    Tasks: [
        ends_after_the_grace,
        #[cfg(target_os = "linux")]
        ends_on_a_signal_while_workers_compute,
    ]
}

const SIGNALS: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

/// Six times the five seconds that a server gives what is in flight.
const GENEROUS: Duration = Duration::from_secs(30);

/// Before the time limit of an idle connection ends it, and the grace is over.
const SOON: Duration = Duration::from_secs(4);

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

fn ends_on_a_signal(rung: Rung) {
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
        let mut threads = Vec::new();
        for signal in SIGNALS {
            for flags in [&[][..], &["--keep-alive"]] {
                threads.push(scope.spawn(move || finishes_what_is_in_flight(rung, signal, flags)));
            }
        }
        join_all(threads);
    });
}

/// Whoever reads the line that a server prints may end it, and it must know by then how to end.
fn ends_on_a_signal_that_comes_at_once(rung: Rung) {
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
fn ends_on_a_signal_while_workers_compute(rung: Rung) {
    let mut server = rung.launch_with_threads(1).start();
    let before = server.open_sockets();
    // Accepted before the worker has anything to compute: later that could take as long as its polls.
    let mut clients: Vec<Client> = (0..300).map(|_| Client::connect(&server)).collect();
    wait_until("all are accepted", || server.open_sockets() >= before + 300);
    for client in &mut clients {
        // In a debug build at least a tenth of a second each, on any machine.
        client.get("/work?n=100000");
    }
    // The worker is in the middle of them, and no answer is in the way of the signal.
    thread::sleep(Duration::from_millis(500));
    server.signal(Signal::Terminate);
    // A build that optimizes, as those of other languages are, may get through all of them. A server that bounds what
    // computes has refused most of them by then, and may get through the rest.
    let may_get_through = rung.toolchain().is_some() || rung.name == "ch07_bounded";
    let cut = if may_get_through { Cut::Perhaps } else { Cut::Something };
    check_end(rung, server.wait(GENEROUS), Signal::Terminate, cut);
    drop(clients);
}

/// The grace is for those who wait for an answer, and nobody does.
fn ends_at_once_where_nothing_is_in_flight(rung: Rung) {
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

/// A client that has asked for nothing loses nothing: it is let go immediately, and the exit status tells of no cut.
fn lets_idle_clients_go(rung: Rung) {
    if !rung.stops_gently() {
        return;
    }
    let kinds: [fn(&Server) -> Client; 2] = [never_asked, kept_and_idle];
    thread::scope(|scope| {
        let ends = |client| scope.spawn(move || lets_go(rung, client));
        join_all(kinds.map(ends).into());
    });
}

fn lets_go(rung: Rung, client: fn(&Server) -> Client) {
    conclusive(2 * GRACE_TIME, || {
        let mut server = rung.start(&["--keep-alive"]);
        let mut client = client(&server);
        let start = Instant::now();
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
        assert!(start.elapsed() < SOON, "it waited for a client that asked for nothing");
        assert!(client.rest().0.is_empty(), "an answer that nobody asked for");
    });
}

/// A client that has been accepted, because a later one was served, and has sent nothing.
fn never_asked(server: &Server) -> Client {
    let client = Client::connect(server);
    assert_eq!(ask(server, "/"), 200);
    client
}

/// A client whose connection is kept after its answer.
fn kept_and_idle(server: &Server) -> Client {
    let mut client = Client::asking(server, "/");
    assert_eq!(client.response().status, 200);
    client
}

/// More clients than threads, and none of them has asked for anything.
#[cfg(target_os = "linux")]
fn lets_a_queue_of_idle_clients_go(rung: Rung) {
    conclusive(2 * GRACE_TIME, || {
        let mut server = rung.launch_with_threads(2).start();
        let before = server.open_sockets();
        let clients: Vec<Client> = (0..20).map(|_| Client::connect(&server)).collect();
        wait_until("all are accepted", || server.open_sockets() >= before + 20);
        let start = Instant::now();
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
        assert!(start.elapsed() < SOON, "it waited for clients that asked for nothing");
        drop(clients);
    });
}

/// Whoever asks a second time doesn't want to wait, and a shell shows that this was no ordinary end.
fn ends_at_once_on_a_second_signal(rung: Rung) {
    if !rung.stops_gently() {
        return;
    }
    for signal in SIGNALS {
        let mut server = rung.start(&[]);
        let mut client = in_flight(&server, 10_000);
        server.signal(signal);
        // Two signals that come immediately after each other are one.
        wait_until("it refuses new clients", || {
            Client::try_connect(&server, Duration::from_millis(500)).is_err()
        });
        thread::sleep(Duration::from_millis(300));
        server.signal(signal);
        let status = server.wait(GENEROUS);
        // By itself, as `ctrlc` can't say which signal it was; or by the signal.
        let shown = status.code().or_else(|| status.signal().map(|number| 128 + number));
        assert!(matches!(shown, Some(130 | 143)), "{status}");
        assert!(client.rest().0.is_empty(), "an answer from a server that is gone");
    }
}

/// The program `timeout` signals the server, and then the group that the server is in.
fn takes_two_signals_at_once_for_one(rung: Rung) {
    conclusive(GRACE_TIME, || {
        let mut server = rung.start(&[]);
        let mut client = in_flight(&server, 1500);
        server.signal(Signal::Terminate);
        // The other is not lost in this one.
        thread::sleep(Duration::from_millis(5));
        server.signal(Signal::Terminate);
        assert_eq!(client.response().status, 200);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
    });
}

/// A terminal that is closed sends SIGHUP to what was started in it.
fn ends_when_its_terminal_is_closed(rung: Rung) {
    finishes_what_is_in_flight(rung, Signal::HangUp, &[]);
}

/// The system reserves the new descriptor before it waits for a client. Where that is the last one, the server
/// has none for the connection that wakes its own `accept`.
#[cfg(target_os = "linux")]
fn ends_while_accept_holds_the_last_descriptor(rung: Rung) {
    conclusive(2 * GRACE_TIME, || {
        let limit = 40;
        let mut server = accepting_all(rung).limit_files(limit).start();
        let mut clients = Vec::new();
        while !server.has_all_files_open(limit - 1) {
            let before = server.open_sockets();
            clients.push(Client::connect(&server));
            wait_until("it is accepted", || server.open_sockets() > before);
        }
        // By the system; now the loop has to come back to `accept`.
        thread::sleep(Duration::from_millis(100));
        assert!(!server.stderr().contains("cannot accept"), "{}", server.stderr());
        // Nobody gives a descriptor back before the server has to wake itself.
        for client in &mut clients {
            client.get("/sleep?ms=300");
        }
        server.signal(Signal::Terminate);
        // Each leaves with its answer: a worker waits a second for that.
        for mut client in clients {
            assert_eq!(client.response().status, 200);
        }
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
    });
}

/// One thread is busy, and more clients were accepted: they are in flight, too.
#[cfg(target_os = "linux")]
fn finishes_its_queue(rung: Rung) {
    // The good outcome takes one second of five; the bad one is an answer that never comes.
    conclusive(GRACE_TIME, || {
        let mut server = rung.launch_with_threads(1).start();
        let before = server.open_sockets();
        let mut clients = Vec::new();
        for target in ["/sleep?ms=1000", "/", "/work", "/file", "/tenth"] {
            let mut client = Client::connect(&server);
            client.get(target);
            clients.push(client);
        }
        wait_until("all five are accepted", || server.open_sockets() >= before + 5);
        // By the system: a runtime that was not given a CPU since does not know of the last yet.
        thread::sleep(Duration::from_millis(200));
        server.signal(Signal::Terminate);
        for mut client in clients {
            assert_eq!(client.response().status, 200);
        }
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing);
    });
}

/// Each of these takes up to five seconds, so they run side by side, each with its own server.
fn ends_on_a_signal_whatever_clients_do(rung: Rung) {
    let ends: [fn(Rung, Signal); 4] =
        [with_idle_clients, with_a_client_that_never_pauses, with_a_full_queue, with_many_clients];
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for ends in ends {
            for signal in SIGNALS {
                threads.push(scope.spawn(move || ends(rung, signal)));
            }
        }
        join_all(threads);
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
fn ends_on_a_signal_without_descriptors(rung: Rung) {
    thread::scope(|scope| {
        let ends = |signal| scope.spawn(move || without_descriptors(rung, signal));
        join_all(SIGNALS.map(ends).into());
    });
}

fn without_descriptors(rung: Rung, signal: Signal) {
    let mut server = accepting_all(rung).limit_files(32).start();
    let clients = take_all_descriptors(&server, 32);
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps);
    drop(clients);
}

/// A start of a server that accepts clients until no descriptor is left.
fn accepting_all(rung: Rung) -> Launch {
    match rung.name {
        // By default it accepts no more than it has descriptors for.
        "ch07_bounded" => rung.launch().args(&["--connections", "100"]),
        _ => rung.launch(),
    }
}

/// The clients that have taken all descriptors of a server with so many. It says so, unless it is declared not to.
fn take_all_descriptors(server: &Server, limit: u64) -> Vec<Client> {
    #[cfg(target_os = "linux")]
    {
        let silent = "survives_running_out_of_descriptors";
        if server.rung.difference(silent).is_some() {
            return Client::half_open_until_full(server, limit);
        }
    }
    let clients = (0..2 * limit).map(|_| Client::connect(server)).collect();
    // Rung 1 holds one connection at a time, and never gets there.
    if server.rung.schedule != Schedule::OneThread {
        wait_until("the server can accept nobody", || {
            server.stderr().contains("cannot accept a connection")
        });
    }
    clients
}

/// So many clients wait that the kernel takes no more: a server that wakes itself
/// with a connection of its own must not wait for that one.
fn ends_with_a_full_backlog(rung: Rung) {
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
