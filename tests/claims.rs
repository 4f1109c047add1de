//! What the chapters claim about each rung, by counting and by order: never by how long something took.

use std::{
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Client, On, Plain, Rung, Schedule, Trials, conclusive, tests};
use site::HEAD_TIME;
#[cfg(target_os = "linux")]
use site::hello_html;

fn main() -> ExitCode {
    let mut trials = Trials::of_the_ladder();
    trials.add(
        On::Every,
        Plain::Ladder,
        tests![
            a_half_open_client_and_the_others,
            two_sleeps,
            #[cfg(target_os = "linux")]
            threads_of_the_operating_system,
        ],
    );
    trials.add(
        On::Schedule(Schedule::OneThread),
        Plain::Ladder,
        tests![a_client_that_leaves_and_the_next, a_silent_client_and_the_next],
    );
    trials.add(
        On::Schedule(Schedule::ThreadPerConnection),
        Plain::Ladder,
        tests![runs_all_sleeps_at_once],
    );
    trials.add(
        On::Schedule(Schedule::Pool),
        Plain::Ladder,
        tests![four_threads_hold_four_clients, never_runs_a_fifth_handler],
    );
    trials.add(
        On::Named("ch03_threadpool"),
        Plain::Ladder,
        tests![the_only_worker_survives_a_panic],
    );
    trials.add(
        On::Schedule(Schedule::EventLoop),
        Plain::Ladder,
        tests![
            runs_all_sleeps_at_once,
            one_thread_is_enough,
            one_that_computes_holds_all,
            #[cfg(target_os = "linux")]
            a_slow_file_and_the_others,
            #[cfg(target_os = "linux")]
            makes_three_system_calls_for_a_kept_request,
        ],
    );
    trials.add(
        On::Schedule(Schedule::Tasks),
        Plain::Ladder,
        tests![
            runs_all_sleeps_at_once,
            one_thread_is_enough,
            #[cfg(target_os = "linux")]
            a_slow_file_and_the_others,
        ],
    );
    trials.add(
        On::Named("own_runtime"),
        Plain::Ladder,
        tests![
            a_task_that_never_waits_beside_seven_free_threads,
            #[cfg(target_os = "linux")]
            runs_the_task_that_an_event_wakes,
            #[cfg(target_os = "linux")]
            makes_three_system_calls_for_a_kept_request,
        ],
    );
    trials.add(
        On::Named("ch06_tokio"),
        Plain::Ladder,
        tests![
            a_task_that_never_waits_beside_seven_free_threads,
            #[cfg(target_os = "linux")]
            a_task_that_waits_and_its_buffer,
            #[cfg(target_os = "linux")]
            makes_three_system_calls_for_a_kept_request,
        ],
    );
    trials.add(
        On::Named("ch04_async_std"),
        Plain::Ladder,
        tests![
            a_task_that_never_waits_beside_seven_free_threads,
            #[cfg(target_os = "linux")]
            a_task_that_waits_and_its_buffer,
            #[cfg(target_os = "linux")]
            a_full_backlog_and_the_clients_inside,
        ],
    );
    trials.add(
        On::Named("ch04_smol"),
        Plain::Ladder,
        tests![
            a_task_that_never_waits_beside_seven_free_threads,
            #[cfg(target_os = "linux")]
            a_task_that_waits_and_its_buffer,
            #[cfg(target_os = "linux")]
            a_full_backlog_and_the_clients_inside,
        ],
    );
    trials.run()
}

/// How long to listen for what must not come. A server that is late passes; one that is wrong is seen soon.
const A_WHILE: Duration = Duration::from_millis(300);

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response().unwrap();
    assert_eq!(response.status, 200, "{response:?}");
}

/// One half-open client stops rung 1. The pools have other threads, and the other rungs need none.
fn a_half_open_client_and_the_others(rung: Rung) {
    let server = rung.start(&[]);
    conclusive(HEAD_TIME, || {
        let start = Instant::now();
        let mut held = Client::half_open(&server).unwrap();
        let mut good = Client::asking(&server, "/").unwrap();
        if rung.schedule == Schedule::OneThread {
            // Until the time limit for the first is over, the second must wait.
            assert!(!good.hears_within(A_WHILE), "rung 1 served two clients at once");
            drop(held);
            check_answer(&mut good);
        } else {
            check_answer(&mut good);
            assert!(start.elapsed() < HEAD_TIME, "answered only when the other's time was over");
            assert!(!held.hears_within(Duration::from_millis(1)), "the half-open client heard");
        }
    });
}

/// A client that says nothing at all holds rung 1 until its time is over, and no longer: then the next is served.
fn a_silent_client_and_the_next(rung: Rung) {
    let server = rung.start(&[]);
    let start = Instant::now();
    let mut silent = Client::connect(&server).unwrap();
    check_answer(&mut Client::asking(&server, "/").unwrap());
    // Timers may be a little early.
    let least = HEAD_TIME - Duration::from_millis(100);
    assert!(start.elapsed() >= least, "rung 1 served two clients at once");
    silent.ends().unwrap();
}

/// A client that leaves gives nothing back: rung 1 sleeps for it all the same, and serves the next after that.
fn a_client_that_leaves_and_the_next(rung: Rung) {
    let server = rung.start(&[]);
    let start = Instant::now();
    drop(Client::asking(&server, "/sleep?ms=1000").unwrap());
    check_answer(&mut Client::asking(&server, "/").unwrap());
    // Timers may be a little early.
    assert!(start.elapsed() >= Duration::from_millis(900), "the sleep ended with its client");
}

/// A long sleep, then a short one: in rung 1 the answers come in the order of the questions,
/// everywhere else the short sleep is over first.
fn two_sleeps(rung: Rung) {
    let server = rung.start(&[]);
    if rung.schedule == Schedule::OneThread {
        let mut long = Client::asking(&server, "/sleep?ms=1000").unwrap();
        let mut short = Client::asking(&server, "/sleep?ms=10").unwrap();
        check_answer(&mut short);
        assert!(long.hears_within(Duration::from_millis(1)), "the second client came first");
        check_answer(&mut long);
    } else {
        let mut long = Client::asking(&server, "/sleep?ms=10000").unwrap();
        let mut short = Client::asking(&server, "/sleep?ms=10").unwrap();
        check_answer(&mut short);
        // It would take a machine that stalls for ten seconds to get this wrong.
        assert!(!long.hears_within(Duration::from_millis(1)), "the long sleep was over first");
    }
}

/// The law of a rung that gives each client what it needs: many sleeps overlap. They all began before one ended.
fn runs_all_sleeps_at_once(rung: Rung) {
    let server = rung.start(&[]);
    let count = 100;
    // Ten seconds each. While nobody has been answered all of them still wait, and none of them in a queue:
    // a client that comes later would stand behind it, and is answered at once.
    let mut sleeping: Vec<Client> =
        (0..count).map(|_| Client::asking(&server, "/sleep?ms=10000").unwrap()).collect();
    check_answer(&mut Client::asking(&server, "/sleep?ms=10").unwrap());
    check_answer(&mut Client::asking(&server, "/").unwrap());
    for client in &mut sleeping {
        assert!(!client.hears_within(Duration::from_millis(1)), "answered before its time");
    }
}

/// A pool of four and four clients that say half a word: the fifth waits until one of them has left.
fn four_threads_hold_four_clients(rung: Rung) {
    let server = rung.launch_with_threads(4).start();
    conclusive(HEAD_TIME, || {
        let mut held: Vec<Client> = (0..4).map(|_| Client::half_open(&server).unwrap()).collect();
        let mut fifth = Client::asking(&server, "/").unwrap();
        assert!(!fifth.hears_within(A_WHILE), "a fifth client was served");
        held.pop();
        check_answer(&mut fifth);
    });
    // With a thread to spare nobody waits.
    conclusive(HEAD_TIME, || {
        let start = Instant::now();
        let held: Vec<Client> = (0..3).map(|_| Client::half_open(&server).unwrap()).collect();
        check_answer(&mut Client::asking(&server, "/").unwrap());
        assert!(start.elapsed() < HEAD_TIME, "answered only when the time of another was over");
        drop(held);
    });
}

/// Twelve sleeps on four threads take three rounds: the fifth answer can't come before two sleeps
/// are over, nor the ninth before three. A pool that ran five at once would be early.
fn never_runs_a_fifth_handler(rung: Rung) {
    let (threads, clients, ms) = (4, 12, 300);
    let server = rung.launch_with_threads(threads).start();
    let start = Instant::now();
    let mut elapsed: Vec<Duration> = thread::scope(|scope| {
        let answered = |_| {
            scope.spawn(|| {
                check_answer(&mut Client::asking(&server, &format!("/sleep?ms={ms}")).unwrap());
                start.elapsed()
            })
        };
        let clients: Vec<_> = (0..clients).map(answered).collect();
        clients.into_iter().map(|client| client.join().expect("it is answered")).collect()
    });
    elapsed.sort();
    for (before, elapsed) in elapsed.iter().enumerate() {
        let rounds = before / threads + 1;
        // Timers may be a little early.
        let least = Duration::from_millis(rounds as u64 * ms) - Duration::from_millis(20);
        assert!(
            *elapsed >= least,
            "answer {} of {clients} came after {elapsed:?}, with {threads} threads not before {least:?}",
            before + 1
        );
    }
}

/// A worker that runs into a panic takes the next job: it is the only one, so nobody else could.
fn the_only_worker_survives_a_panic(rung: Rung) {
    let server = rung.launch_with_threads(1).args(&["--panic-route"]).start();
    for _ in 0..3 {
        let (answer, _) = Client::asking(&server, "/panic").unwrap().rest().unwrap();
        assert!(answer.is_empty(), "a handler that panicked answered");
        check_answer(&mut Client::asking(&server, "/").unwrap());
    }
}

/// A client that waits holds no thread: one thread serves a good client beside fifty half-open ones.
fn one_thread_is_enough(rung: Rung) {
    let server = rung.launch_with_threads(1).start();
    conclusive(HEAD_TIME, || {
        let start = Instant::now();
        let held: Vec<Client> = (0..50).map(|_| Client::half_open(&server).unwrap()).collect();
        for target in ["/", "/sleep?ms=10", "/tenth", "/file", "/work"] {
            check_answer(&mut Client::asking(&server, target).unwrap());
        }
        assert!(start.elapsed() < HEAD_TIME, "answered only when the time of others was over");
        drop(held);
    });
    // They overlap on one thread as well.
    let mut long = Client::asking(&server, "/sleep?ms=10000").unwrap();
    check_answer(&mut Client::asking(&server, "/sleep?ms=10").unwrap());
    assert!(!long.hears_within(Duration::from_millis(1)), "the long sleep was over first");
}

/// An event loop has one thread, and a request that computes has it: who comes later is answered later, always.
fn one_that_computes_holds_all(rung: Rung) {
    let server = rung.start(&[]);
    for attempt in 1..=20 {
        let mut first = Client::asking(&server, "/work?n=100000").unwrap();
        // A head start, within its time.
        if first.hears_within(Duration::from_millis(5 * attempt)) {
            continue;
        }
        check_answer(&mut Client::asking(&server, "/").unwrap());
        assert!(first.hears_within(Duration::from_millis(1)), "somebody was served meanwhile");
        return;
    }
    panic!("twenty times the first client's answer came before the second client");
}

/// Whether strace is here, which counts system calls, or delays them.
#[cfg(target_os = "linux")]
fn have_strace() -> bool {
    ladder_tests::have("strace")
}

/// A disk that takes two seconds, because strace delays the call that opens the file. An event loop reads it on its
/// only thread, so whoever comes later is answered later. Where other threads read files, nobody waits for it.
#[cfg(target_os = "linux")]
fn a_slow_file_and_the_others(rung: Rung) {
    use ladder_tests::below_strace;

    if !have_strace() {
        return;
    }
    let file = hello_html().to_str().expect("the path is text");
    let slow = ["-P", file, "-e", "trace=openat", "-e", "inject=openat:delay_enter=2000000"];
    below_strace(rung.launch_with_threads(1), &slow, |server| {
        let mut first = Client::asking(server, "/file").unwrap();
        // A head start, within its two seconds.
        assert!(!first.hears_within(A_WHILE), "the file was not slow");
        check_answer(&mut Client::asking(server, "/").unwrap());
        let second_waited = first.hears_within(Duration::from_millis(1));
        assert_eq!(second_waited, rung.schedule == Schedule::EventLoop);
        check_answer(&mut first);
    });
}

/// The client leaves, and the server has seen that: otherwise it may end before it reads that nothing more comes.
#[cfg(target_os = "linux")]
fn leave(mut client: Client) {
    client.finish_sending().unwrap();
    client.ends().unwrap();
}

/// What so many kept requests more cost a server with so many threads. What else it calls, it calls at its start, for
/// a connection, or at its end, so nearly all of that goes out of the difference between a short run and a long one:
/// a thread that waits for signals may be at its first calls when the short run ends.
#[cfg(target_os = "linux")]
fn calls_of_kept_requests(rung: Rung, threads: usize, more: u64) -> impl Fn(&str) -> u64 {
    use ladder_tests::Calls;

    let calls = |requests: u64| {
        Calls::counted(rung.launch_with_threads(threads).args(&["--keep-alive"]), |server| {
            let mut client = Client::connect(server).unwrap();
            for _ in 0..requests {
                client.get("/").unwrap();
                check_answer(&mut client);
                // So that the server waits for the next one, as for a client that is not on this machine.
                thread::sleep(Duration::from_millis(4));
            }
            leave(client);
        })
    };
    let short = calls(10);
    let long = calls(10 + more);
    move |name| match name {
        "all" => long.all() - short.all(),
        name => long.named(name) - short.named(name),
    }
}

/// Wait, read, write.
#[cfg(target_os = "linux")]
fn makes_three_system_calls_for_a_kept_request(rung: Rung) {
    if !have_strace() {
        return;
    }
    let requests = 300;
    let calls = calls_of_kept_requests(rung, 1, requests);
    assert_eq!([calls("recvfrom"), calls("sendto")], [requests; 2]);
    // Now and then a timer ends a wait, and the longer the run takes, the more often.
    let few = requests / 4;
    let waits = calls("epoll_wait") + calls("epoll_pwait");
    assert!(waits.abs_diff(requests) < few, "{waits} waits for {requests} requests");
    // A fourth call for each request would be as many as the requests.
    let all = calls("all");
    let three = 2 * requests + waits;
    assert!(all.abs_diff(three) < few, "{all} calls, and {three} of them are the three");
}

/// The thread that takes an event runs the task itself. To hand it over to another thread would cost twice the calls.
/// Now and then a thread looks whether another one is at the reactor, and on a machine that stalls more often.
#[cfg(target_os = "linux")]
fn runs_the_task_that_an_event_wakes(rung: Rung) {
    if !have_strace() {
        return;
    }
    let requests = 300;
    // What cargo builds is built before the time counts.
    let _ = rung.launch();
    let few = |_| {
        let began = Instant::now();
        let calls = calls_of_kept_requests(rung, 8, requests);
        // A thread looks once in 10 ms, with two calls at most.
        let looks = 2 * began.elapsed().as_millis() as u64 / 10;
        assert_eq!([calls("recvfrom"), calls("sendto")], [requests; 2]);
        let is_few = 10 * calls("all").saturating_sub(looks) <= 36 * requests;
        if !is_few {
            eprintln!("{} calls for {requests} requests, at most {looks} to look", calls("all"));
        }
        is_few
    };
    assert!((0..3).any(few), "in three tries a request took more than 3.6 calls");
}

/// A task that never reaches a pending `.await`, on an idle runtime. Seven of tokio's eight workers are free,
/// and the next client can wait for that task all the same; with async-std and with the runtime by hand another thread looks at the sockets.
/// Here the task computes; a blocking sleep does the same to its worker.
/// What *can* happen is the claim: a busy machine may have woken another worker, so one try proves nothing.
fn a_task_that_never_waits_beside_seven_free_threads(rung: Rung) {
    let waited = |attempt: u64| {
        let server = rung.launch_with_threads(8).args(&["--keep-alive"]).start();
        // A client that has a task already, so one event is all that the computation needs to begin.
        let mut first = Client::asking(&server, "/").unwrap();
        check_answer(&mut first);
        // Until the threads have nothing to do any more and sleep.
        thread::sleep(Duration::from_millis(50 * attempt));
        first.get("/work?n=100000").unwrap();
        // A head start, within its time.
        if first.hears_within(Duration::from_millis(5 * attempt)) {
            return None;
        }
        check_answer(&mut Client::asking(&server, "/").unwrap());
        Some(first.hears_within(Duration::from_millis(1)))
    };
    let expected = rung.name == "ch06_tokio";
    let seen = (1..=20).any(|attempt| waited(attempt) == Some(expected));
    assert!(seen, "in twenty tries this never came out: the second client waits = {expected}");
}

/// A hundred clients wait to be accepted, and one thread does everything. An accept loop that never gave way would take
/// all of them in before the first had its answer; ours lets the accepted clients go first, after each.
#[cfg(target_os = "linux")]
fn a_full_backlog_and_the_clients_inside(rung: Rung) {
    use ladder_tests::below_strace;

    if !have_strace() {
        return;
    }
    let clients = 100;
    let only = ["-e", "trace=accept4,sendto"];
    let trace = below_strace(rung.launch_with_threads(1), &only, |server| {
        let mut first = Client::asking(server, "/work?n=100000").unwrap();
        // While it computes, the others come, each with its request.
        thread::sleep(Duration::from_millis(50));
        let mut others: Vec<Client> =
            (0..clients).map(|_| Client::asking(server, "/").unwrap()).collect();
        check_answer(&mut first);
        for client in &mut others {
            check_answer(client);
        }
    });
    let mut accepted = 0;
    let mut run = 0;
    let mut longest = 0;
    for line in trace.lines() {
        if line.contains("sendto") {
            run = 0;
        } else if line.contains("accept4") && line.contains(") = ") && !line.contains(") = -1") {
            accepted += 1;
            run += 1;
            longest = longest.max(run);
        }
    }
    assert_eq!(accepted, clients + 1, "{trace}");
    assert!(longest < clients / 4, "{longest} clients were accepted before one was served");
}

/// How much memory 600 more kept connections take, for each of them and in bytes, while they wait for a request.
#[cfg(target_os = "linux")]
fn memory_of_a_kept_connection(rung: Rung) -> u64 {
    let (few, more) = (100, 600);
    let server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    let mut held = Vec::new();
    let mut memory_with = |clients: usize| {
        while held.len() < clients {
            let mut client = Client::connect(&server).unwrap();
            client.get("/").unwrap();
            check_answer(&mut client);
            held.push(client);
        }
        server.status("VmRSS")
    };
    let before = memory_with(few);
    let grown = memory_with(few + more).saturating_sub(before);
    grown * 1024 / more as u64
}

/// Rung 4 waits with a buffer of 4 KiB in its future. Where a buffer is taken only to read, a connection with all
/// that belongs to it needs less than the buffer alone.
#[cfg(target_os = "linux")]
fn a_task_that_waits_and_its_buffer(rung: Rung) {
    // This program has a descriptor for each client, and so has the server.
    ladder_tests::raise_file_limit(3000);
    conclusive(HEAD_TIME, || {
        let bytes = memory_of_a_kept_connection(rung);
        let holds_it = rung.name == "ch04_async_std";
        let expected = if holds_it { 4096..16384 } else { 0..2048 };
        assert!(expected.contains(&bytes), "{bytes} bytes for each connection, not {expected:?}");
    });
}

/// How many threads the system sees, without a client and with a hundred half-open ones.
#[cfg(target_os = "linux")]
fn threads_of_the_operating_system(rung: Rung) {
    use ladder_tests::wait_until;

    let clients = 100;
    let server = rung.launch_with_threads(2).start();
    check_answer(&mut Client::asking(&server, "/").unwrap());
    let named =
        |prefix: &str| server.thread_names().iter().filter(|name| name.starts_with(prefix)).count();
    let hold =
        || -> Vec<Client> { (0..clients).map(|_| Client::half_open(&server).unwrap()).collect() };
    match rung.schedule {
        Schedule::OneThread => {
            let held = hold();
            assert_eq!(server.status("Threads"), 1);
            drop(held);
        }
        Schedule::ThreadPerConnection => {
            // The connection of the good client may be a moment from its end.
            wait_until("main alone is left", || server.status("Threads") == 1);
            conclusive(HEAD_TIME, || {
                let held = hold();
                let start = Instant::now();
                while named("connection-") < clients {
                    assert!(start.elapsed() < HEAD_TIME, "{:?}", server.thread_names());
                }
                assert_eq!(server.status("Threads") as usize, clients + 1);
                drop(held);
                wait_until("main alone is left", || server.status("Threads") == 1);
            });
        }
        Schedule::Pool => {
            // Main, two workers, and the one that ctrlc starts to wait for signals.
            assert_eq!(server.status("Threads"), 4, "{:?}", server.thread_names());
            let held = hold();
            assert_eq!(server.status("Threads"), 4, "{:?}", server.thread_names());
            if rung.name == "ch03_threadpool" {
                assert_eq!(named("worker-"), 2, "{:?}", server.thread_names());
            }
            drop(held);
        }
        Schedule::EventLoop => {
            let held = hold();
            check_answer(&mut Client::asking(&server, "/").unwrap());
            // Main, and the one that ctrlc starts to wait for signals.
            assert_eq!(server.status("Threads"), 2, "{:?}", server.thread_names());
            drop(held);
        }
        Schedule::Tasks => {
            let held = hold();
            check_answer(&mut Client::asking(&server, "/").unwrap());
            // Main, two for tasks, at most one for the reactor and one for signals.
            let (threads, names) = (server.status("Threads"), server.thread_names());
            assert!(threads <= 5, "{threads} threads for {clients} connections: {names:?}");
            drop(held);
        }
    }
}
