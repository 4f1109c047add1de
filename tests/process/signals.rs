//! How a rung ends on SIGINT and SIGTERM.

use std::{
    io::ErrorKind,
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::cases::{check_header, next_number};
use ladder_tests::{
    Client, Excerpt, Failure, Launch, On, Plain, Rung, Schedule, Server, Signal, Trials, ensure,
    raise_file_limit, side_by_side, skip, tests, try_again, wait_for,
};
use site::GRACE_TIME;

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(
        On::Every,
        Plain::Three,
        tests![
            ends_on_a_signal,
            ends_on_a_signal_that_comes_at_once,
            lets_idle_clients_go,
            ends_at_once_on_a_second_signal,
            ends_on_a_signal_without_descriptors,
        ],
    );
    trials.add(On::Every, Plain::One, tests![ends_on_a_signal_whatever_clients_do]);
    trials.add(On::Every, Plain::Ladder, tests![ends_at_once_where_nothing_is_in_flight]);
    trials.add(On::Schedule(Schedule::OneThread), Plain::One, tests![ends_with_a_full_backlog]);
    trials.add(
        On::Schedule(Schedule::Pool),
        Plain::Three,
        tests![
            #[cfg(target_os = "linux")]
            finishes_its_queue,
            #[cfg(target_os = "linux")]
            lets_a_queue_of_idle_clients_go,
        ],
    );
    trials.add(On::Schedule(Schedule::Pool), Plain::One, tests![ends_after_the_grace]);
    trials.add(
        On::Named("ch03_threadpool"),
        Plain::Three,
        tests![
            ends_with_a_full_backlog,
            ends_when_its_terminal_is_closed,
            takes_two_signals_at_once_for_one,
            #[cfg(target_os = "linux")]
            ends_while_accept_holds_the_last_descriptor,
        ],
    );
    trials.add(
        On::Schedule(Schedule::Tasks),
        Plain::Three,
        tests![
            ends_after_the_grace,
            #[cfg(target_os = "linux")]
            ends_on_a_signal_while_workers_compute,
        ],
    );
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
fn check_end(rung: Rung, status: ExitStatus, signal: Signal, cut: Cut) -> Result<(), Failure> {
    if !rung.stops_gently() {
        let is_ended_by_it = status.signal() == Some(signal.number());
        return ensure(is_ended_by_it, status, format_args!("an end by {signal:?}"));
    }
    let (known, wanted): (&[i32], _) = match cut {
        Cut::Nothing => (&[0], "the exit status 0"),
        Cut::Something => (&[1], "the exit status 1"),
        Cut::Perhaps => (&[0, 1], "the exit status 0 or 1"),
    };
    ensure(status.code().is_some_and(|code| known.contains(&code)), status, wanted)
}

/// Checks that a client gets nothing more but the end of its connection.
fn hears_nothing(client: &mut Client, otherwise: &str) -> Result<(), Failure> {
    let (rest, _) = client.rest()?;
    let wanted = format_args!("nothing: this is {otherwise}");
    client.ensure(rest.is_empty(), Excerpt::of(&rest), wanted)
}

/// Checks that a client has its page.
fn is_answered(client: &mut Client) -> Result<(), Failure> {
    let response = client.response()?;
    response.ensure(response.status == 200, "a 200")
}

/// A client whose request is being handled for `ms` milliseconds, and no doubt about it:
/// it is the tenth request to `/tenth`, because another one, sent later, was told that it is the eleventh.
fn in_flight(server: &Server, ms: u32) -> Result<Client, Failure> {
    // Each takes a number itself.
    let ask = || Ok(next_number(server)? - 1);
    for attempt in 1..=10 {
        let mut number: u64 = ask()?;
        while number % 10 != 9 {
            number = ask()?;
        }
        let mut client = Client::connect(server)?;
        client.get(&format!("/tenth?ms={ms}"))?;
        // A head start: tokio, for one, likes to run the newest task first.
        thread::sleep(Duration::from_millis(20 * attempt));
        // If this one is the tenth, it came before the client, which then does not wait at all.
        while number % 10 == 9 {
            number = ask()?;
        }
        if number % 10 == 1 {
            return Ok(client);
        }
    }
    Err(Failure::seen("ten times another request that was faster", "a request in flight"))
}

fn ends_on_a_signal(rung: Rung) -> Result<(), Failure> {
    if !rung.stops_gently() {
        // As any plain program: at once, and whoever waits for an answer waits in vain.
        for signal in SIGNALS {
            let mut server = rung.start(&[]);
            let mut client = Client::connect(&server)?;
            client.get("/sleep?ms=10000")?;
            server.signal(signal);
            check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing)?;
            hears_nothing(&mut client, "an answer from a server that is gone")?;
        }
        return Ok(());
    }
    let ways = SIGNALS.map(|signal| [(signal, &[][..]), (signal, &["--keep-alive"])]);
    side_by_side(ways.as_flattened(), |(signal, flags)| {
        finishes_what_is_in_flight(rung, *signal, flags)
    })
}

/// Whoever reads the line that a server prints may end it, and it must know by then how to end.
fn ends_on_a_signal_that_comes_at_once(rung: Rung) -> Result<(), Failure> {
    for signal in SIGNALS {
        // Once is luck: the line and the signal's handler would be a moment apart.
        for _ in 0..15 {
            let mut server = rung.start(&[]);
            server.signal(signal);
            check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing)?;
        }
    }
    Ok(())
}

fn finishes_what_is_in_flight(rung: Rung, signal: Signal, flags: &[&str]) -> Result<(), Failure> {
    let ms = 1500;
    // On a machine that stalls that long the request is over before the signal comes.
    try_again(Duration::from_millis(ms.into()), || finishes(rung, signal, flags, ms))
}

fn finishes(rung: Rung, signal: Signal, flags: &[&str], ms: u32) -> Result<(), Failure> {
    let mut server = rung.start(flags);
    let mut client = in_flight(&server, ms)?;
    server.signal(signal);
    // Nobody may be served any more once somebody was turned away.
    let mut turned_away = false;
    while server.is_running() {
        if let Some(served) = is_served(&server)? {
            let came = "an answer, after the server had stopped accepting";
            ensure(!(served && turned_away), came, "an end of accepting")?;
            turned_away |= !served;
        }
    }
    let response = client.response()?;
    response.ensure(response.status == 200, "a 200")?;
    let wanted = format!("waited {ms} ms\n");
    response.ensure(response.text().ends_with(&wanted), format_args!("{wanted:?} at its end"))?;
    // The server is closing: it says so, although this connection might have been kept.
    check_header(&response, "Connection", Some("close"))?;
    client.ends()?;
    check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing)?;
    let refused = Client::try_connect(&server, Duration::from_secs(5)).map(drop);
    let refused = refused.map_err(|error| error.kind());
    let came = format_args!("{refused:?}");
    ensure(refused == Err(ErrorKind::ConnectionRefused), came, "nobody who listens any more")?;
    ensure(server.stderr().is_empty(), server.stderr(), "nothing on standard error")
}

/// Whether a new client is served; nothing if that can't be told, because it only waits.
fn is_served(server: &Server) -> Result<Option<bool>, Failure> {
    let Ok(mut client) = Client::try_connect(server, Duration::from_millis(500)) else {
        return Ok(Some(false));
    };
    if client.try_send("GET /work?n=0 HTTP/1.0\r\n\r\n").is_err() {
        return Ok(Some(false));
    }
    if !client.hears_within(Duration::from_millis(50)) {
        return Ok(None);
    }
    let (answer, _) = client.rest()?;
    Ok(Some(!answer.is_empty()))
}

fn ends_after_the_grace(rung: Rung) -> Result<(), Failure> {
    let mut server = rung.start(&[]);
    let mut client = in_flight(&server, 10_000)?;
    let start = Instant::now();
    server.signal(Signal::Terminate);
    check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Something)?;
    // Timers may be a little early.
    let least = GRACE_TIME - Duration::from_millis(100);
    let came = format_args!("only {:?}", start.elapsed());
    ensure(start.elapsed() >= least, came, format_args!("{GRACE_TIME:?} for what is in flight"))?;
    hears_nothing(&mut client, "an answer from a server that is gone")
}

/// More polls that compute than a worker gets through. A runtime looks at its signals and timers between
/// two polls, so a stop that relied on them alone would come much later.
#[cfg(target_os = "linux")]
fn ends_on_a_signal_while_workers_compute(rung: Rung) -> Result<(), Failure> {
    let mut server = rung.launch_with_threads(1).start();
    let before = server.open_sockets();
    // Accepted before the worker has anything to compute: later that could take as long as its polls.
    let mut clients: Vec<Client> =
        (0..300).map(|_| Client::connect(&server)).collect::<Result<_, _>>()?;
    wait_for("all are accepted", || Ok(server.open_sockets() >= before + 300))?;
    for client in &mut clients {
        // In a debug build at least a tenth of a second each, on any machine.
        client.get("/work?n=100000")?;
    }
    // The worker is in the middle of them, and no answer is in the way of the signal.
    thread::sleep(Duration::from_millis(500));
    server.signal(Signal::Terminate);
    // A build that optimizes, as those of other languages are, may get through all of them. A server that bounds what
    // computes has refused most of them by then, and may get through the rest.
    let may_get_through = rung.toolchain().is_some() || rung.name == "ch07_bounded";
    let cut = if may_get_through { Cut::Perhaps } else { Cut::Something };
    check_end(rung, server.wait(GENEROUS), Signal::Terminate, cut)
}

/// The grace is for those who wait for an answer, and nobody does.
fn ends_at_once_where_nothing_is_in_flight(rung: Rung) -> Result<(), Failure> {
    for signal in SIGNALS {
        try_again(GRACE_TIME, || {
            let mut server = rung.start(&[]);
            is_answered(&mut Client::asking(&server, "/")?)?;
            let start = Instant::now();
            server.signal(signal);
            check_end(rung, server.wait(GENEROUS), signal, Cut::Nothing)?;
            let came = format_args!("an end after {:?}", start.elapsed());
            ensure(start.elapsed() < GRACE_TIME, came, "no wait for nobody")
        })?;
    }
    Ok(())
}

/// A client that has asked for nothing loses nothing: it is disconnected immediately, and the exit status tells of no cut.
fn lets_idle_clients_go(rung: Rung) -> Result<(), Failure> {
    if !rung.stops_gently() {
        return Ok(());
    }
    let kinds: [Kind; 2] = [never_asked, kept_and_idle];
    side_by_side(kinds, |client| lets_go(rung, client))
}

/// How a client comes to be idle.
type Kind = fn(&Server) -> Result<Client, Failure>;

fn lets_go(rung: Rung, client: Kind) -> Result<(), Failure> {
    try_again(2 * GRACE_TIME, || {
        let mut server = rung.start(&["--keep-alive"]);
        let mut client = client(&server)?;
        let start = Instant::now();
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing)?;
        ends_soon(start)?;
        hears_nothing(&mut client, "an answer that nobody asked for")
    })
}

/// Checks that a server has not waited for clients that have asked for nothing.
fn ends_soon(start: Instant) -> Result<(), Failure> {
    let came = format_args!("an end after {:?}", start.elapsed());
    ensure(start.elapsed() < SOON, came, "no wait for a client that asked for nothing")
}

/// A client that has been accepted, because a later one was served, and has sent nothing.
fn never_asked(server: &Server) -> Result<Client, Failure> {
    let client = Client::connect(server)?;
    is_answered(&mut Client::asking(server, "/")?)?;
    Ok(client)
}

/// A client whose connection is kept after its answer.
fn kept_and_idle(server: &Server) -> Result<Client, Failure> {
    let mut client = Client::asking(server, "/")?;
    is_answered(&mut client)?;
    Ok(client)
}

/// More clients than threads, and none of them has asked for anything.
#[cfg(target_os = "linux")]
fn lets_a_queue_of_idle_clients_go(rung: Rung) -> Result<(), Failure> {
    try_again(2 * GRACE_TIME, || {
        let mut server = rung.launch_with_threads(2).start();
        let before = server.open_sockets();
        let clients: Vec<Client> =
            (0..20).map(|_| Client::connect(&server)).collect::<Result<_, _>>()?;
        wait_for("all are accepted", || Ok(server.open_sockets() >= before + 20))?;
        let start = Instant::now();
        server.signal(Signal::Terminate);
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing)?;
        drop(clients);
        ends_soon(start)
    })
}

/// Whoever asks a second time doesn't want to wait, and a shell shows that this was no ordinary end.
fn ends_at_once_on_a_second_signal(rung: Rung) -> Result<(), Failure> {
    if !rung.stops_gently() {
        return Ok(());
    }
    for signal in SIGNALS {
        let mut server = rung.start(&[]);
        let mut client = in_flight(&server, 10_000)?;
        server.signal(signal);
        // Two signals that come immediately after each other are one.
        wait_for("it refuses new clients", || {
            Ok(Client::try_connect(&server, Duration::from_millis(500)).is_err())
        })?;
        thread::sleep(Duration::from_millis(300));
        server.signal(signal);
        let status = server.wait(GENEROUS);
        // By itself, as `ctrlc` can't say which signal it was; or by the signal.
        let shown = status.code().or_else(|| status.signal().map(|number| 128 + number));
        ensure(matches!(shown, Some(130 | 143)), status, "the exit status 130 or 143")?;
        hears_nothing(&mut client, "an answer from a server that is gone")?;
    }
    Ok(())
}

/// The program `timeout` signals the server, and then the group that the server is in.
fn takes_two_signals_at_once_for_one(rung: Rung) -> Result<(), Failure> {
    try_again(GRACE_TIME, || {
        let mut server = rung.start(&[]);
        let mut client = in_flight(&server, 1500)?;
        server.signal(Signal::Terminate);
        // The other is not lost in this one.
        thread::sleep(Duration::from_millis(5));
        server.signal(Signal::Terminate);
        is_answered(&mut client)?;
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing)
    })
}

/// A terminal that is closed sends SIGHUP to what was started in it.
fn ends_when_its_terminal_is_closed(rung: Rung) -> Result<(), Failure> {
    finishes_what_is_in_flight(rung, Signal::HangUp, &[])
}

/// The system reserves the new descriptor before it waits for a client. Where that is the last one, the server
/// has none for the connection that wakes its own `accept`.
#[cfg(target_os = "linux")]
fn ends_while_accept_holds_the_last_descriptor(rung: Rung) -> Result<(), Failure> {
    try_again(2 * GRACE_TIME, || {
        let limit = 40;
        let mut server = accepting_all(rung).limit_files(limit).start();
        let mut clients = Vec::new();
        while !server.has_all_files_open(limit - 1) {
            let before = server.open_sockets();
            clients.push(Client::connect(&server)?);
            wait_for("it is accepted", || Ok(server.open_sockets() > before))?;
        }
        // By the system; now the loop has to come back to `accept`.
        thread::sleep(Duration::from_millis(100));
        let accepts = !server.stderr().contains("cannot accept");
        ensure(accepts, server.stderr(), "a descriptor for each client")?;
        // Nobody gives a descriptor back before the server has to wake itself.
        for client in &mut clients {
            client.get("/sleep?ms=300")?;
        }
        server.signal(Signal::Terminate);
        // Each leaves with its answer: a worker waits a second for that.
        for mut client in clients {
            is_answered(&mut client)?;
        }
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing)
    })
}

/// One thread is busy, and more clients were accepted: they are in flight, too.
#[cfg(target_os = "linux")]
fn finishes_its_queue(rung: Rung) -> Result<(), Failure> {
    // The good outcome takes one second of five; the bad one is an answer that never comes.
    try_again(GRACE_TIME, || {
        let mut server = rung.launch_with_threads(1).start();
        let before = server.open_sockets();
        let mut clients = Vec::new();
        for target in ["/sleep?ms=1000", "/", "/work", "/file", "/tenth"] {
            let mut client = Client::connect(&server)?;
            client.get(target)?;
            clients.push(client);
        }
        wait_for("all five are accepted", || Ok(server.open_sockets() >= before + 5))?;
        // By the system: a runtime that was not given a CPU since does not know of the last yet.
        thread::sleep(Duration::from_millis(200));
        server.signal(Signal::Terminate);
        for mut client in clients {
            is_answered(&mut client)?;
        }
        check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Nothing)
    })
}

/// How a rung ends on a signal while clients do something.
type End = fn(Rung, Signal) -> Result<(), Failure>;

/// Each of these takes up to five seconds, so they run side by side, each with its own server.
fn ends_on_a_signal_whatever_clients_do(rung: Rung) -> Result<(), Failure> {
    let ends: [End; 4] =
        [with_idle_clients, with_a_client_that_never_pauses, with_a_full_queue, with_many_clients];
    let ways = ends.map(|ends| SIGNALS.map(|signal| (ends, signal)));
    side_by_side(ways.as_flattened(), |(ends, signal)| ends(rung, *signal))
}

/// A kept connection that is idle, one that has sent nothing, one that has sent half a request.
fn with_idle_clients(rung: Rung, signal: Signal) -> Result<(), Failure> {
    let mut server = rung.start(&["--keep-alive"]);
    let mut idle = Client::connect(&server)?;
    idle.get("/")?;
    is_answered(&mut idle)?;
    let silent = Client::connect(&server)?;
    let mut half = Client::connect(&server)?;
    half.send("GET / HTTP/1.1\r\n")?;
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps)?;
    drop((silent, half));
    hears_nothing(&mut idle, "an answer that nobody asked for")
}

/// It keeps a kept connection busy, and on it the next answer has to be the last.
fn with_a_client_that_never_pauses(rung: Rung, signal: Signal) -> Result<(), Failure> {
    let mut server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    let request = "GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n";
    let greedy = Client::connect(&server)?.never_pause(request);
    thread::sleep(Duration::from_millis(200));
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps)?;
    drop(greedy);
    Ok(())
}

/// All threads of a pool are busy, its queue is full, and more clients wait to be accepted.
fn with_a_full_queue(rung: Rung, signal: Signal) -> Result<(), Failure> {
    let mut server = rung.launch_with_threads(2).start();
    let mut clients = Vec::new();
    for _ in 0..100 {
        let mut client = Client::connect(&server)?;
        client.get("/sleep?ms=10000")?;
        clients.push(client);
    }
    // So that the queue is full; the test holds as well if it is not yet.
    thread::sleep(Duration::from_millis(300));
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Something)
}

/// More clients sleep, or wait in the backlog, than a pool and its queue hold.
fn with_many_clients(rung: Rung, signal: Signal) -> Result<(), Failure> {
    let mut server = rung.launch_with_threads(2).start();
    let sleeper = |_| Client::asking(&server, "/sleep?ms=10000");
    let mut clients = (0..400).map(sleeper).collect::<Result<Vec<Client>, _>>()?;
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps)?;
    for client in &mut clients {
        hears_nothing(client, "an answer from a server that is gone")?;
    }
    Ok(())
}

/// A server that can't accept anybody can still be stopped.
fn ends_on_a_signal_without_descriptors(rung: Rung) -> Result<(), Failure> {
    side_by_side(SIGNALS, |signal| without_descriptors(rung, signal))
}

fn without_descriptors(rung: Rung, signal: Signal) -> Result<(), Failure> {
    let mut server = accepting_all(rung).limit_files(32).start();
    let clients = take_all_descriptors(&server, 32)?;
    server.signal(signal);
    check_end(rung, server.wait(GENEROUS), signal, Cut::Perhaps)?;
    drop(clients);
    Ok(())
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
fn take_all_descriptors(server: &Server, limit: u64) -> Result<Vec<Client>, Failure> {
    #[cfg(target_os = "linux")]
    {
        let silent = "survives_running_out_of_descriptors";
        if server.rung.difference(silent).is_some() {
            return Client::half_open_until_full(server, limit);
        }
    }
    let clients: Vec<Client> =
        (0..2 * limit).map(|_| Client::connect(server)).collect::<Result<_, _>>()?;
    // Rung 1 holds one connection at a time, and never gets there.
    if server.rung.schedule != Schedule::OneThread {
        wait_for("the server can accept nobody", || {
            Ok(server.stderr().contains("cannot accept a connection"))
        })?;
    }
    Ok(clients)
}

/// So many clients wait that the kernel takes no more: a server that wakes itself
/// with a connection of its own must not wait for that one.
fn ends_with_a_full_backlog(rung: Rung) -> Result<(), Failure> {
    // The backlog, the pool's queue and threads, and a few more; in two rungs at once.
    let most = 1200;
    if !raise_file_limit(3 * most) {
        skip("this needs 4,000 open files; to get them: ulimit -n 4000");
        return Ok(());
    }
    let mut server = rung.launch_with_threads(2).start();
    let mut waiting = Vec::new();
    while waiting.len() < most
        && let Ok(mut client) = Client::try_connect(&server, Duration::from_millis(1500))
    {
        client.get("/sleep?ms=10000")?;
        waiting.push(client);
    }
    let came = format_args!("{most} clients that do not fill the backlog");
    ensure(waiting.len() < most, came, "a backlog that is full")?;
    server.signal(Signal::Terminate);
    check_end(rung, server.wait(GENEROUS), Signal::Terminate, Cut::Something)?;
    for client in &mut waiting {
        hears_nothing(client, "an answer from a server that is gone")?;
    }
    Ok(())
}
