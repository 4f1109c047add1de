//! The runtime by hand: the steps to it, each of which mends a fault of the one before.

use std::time::Duration;

use ladder_tests::{Client, DEADLINE, Rung, Server};
use site::{HEAD_TIME, compute};

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response().unwrap();
    assert_eq!(response.status, 200, "{response:?}");
}

/// The steps in order.
const STEPS: [&str; 2] = ["own_runtime_one_thread", "own_runtime_several_threads"];

#[track_caller]
fn step(name: &'static str) -> Rung {
    Rung::step(name).expect("it is declared")
}

/// Their tasks wait without a thread, also those that sleep.
#[test]
fn the_steps_serve_many_clients_on_one_thread() {
    let servers = [
        step(STEPS[0]).start(&["--keep-alive"]),
        step(STEPS[1]).launch_with_threads(1).args(&["--keep-alive"]).start(),
    ];
    servers.iter().for_each(check_many_clients_on_one_thread);
}

fn check_many_clients_on_one_thread(server: &Server) {
    let mut halves: Vec<Client> = (0..20).map(|_| Client::connect(server).unwrap()).collect();
    for client in &mut halves {
        client.send("GET /work?n=2 HTTP/1.1\r\n").unwrap();
    }
    let mut sleeps = Client::asking(server, "/sleep?ms=10000").unwrap();
    for target in ["/", "/sleep?ms=1", "/tenth?ms=1", "/file", "/work"] {
        check_answer(&mut Client::asking(server, target).unwrap());
    }
    // In another order than that in which they came, and more than once.
    for client in halves.iter_mut().rev() {
        client.send("Host: a\r\n\r\nGET /work?n=3 HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert_eq!(client.response().unwrap().text(), compute(2));
        assert_eq!(client.response().unwrap().text(), compute(3));
    }
    assert!(!sleeps.hears_within(Duration::from_millis(1)), "it was not asleep");
    #[cfg(target_os = "linux")]
    {
        use ladder_tests::wait_until;
        // A file is read by a thread of its own, which may be a moment from its end.
        wait_until("one thread is left", || server.status("Threads") == 1);
    }
}

/// Whether a client waits until the computation for another has ended.
fn waits_for_a_computation(server: &Server) -> bool {
    for attempt in 1..=20 {
        let mut first = Client::asking(server, "/work?n=100000").unwrap();
        // A head start, within its time.
        if first.hears_within(Duration::from_millis(5 * attempt)) {
            continue;
        }
        check_answer(&mut Client::asking(server, "/").unwrap());
        return first.hears_within(Duration::from_millis(1));
    }
    panic!("twenty times the first client's answer came before the second client");
}

/// The first step has one thread and no time limits; the second has both.
#[test]
fn the_second_step_has_threads_and_limits() {
    let servers = [step(STEPS[0]).start(&[]), step(STEPS[1]).launch_with_threads(2).start()];
    let mut silent = servers.each_ref().map(|server| Client::connect(server).unwrap());
    assert!(waits_for_a_computation(&servers[0]), "the first step has served two at once");
    let seen = (0..20).any(|_| !waits_for_a_computation(&servers[1]));
    assert!(seen, "in twenty tries the second step never served two at once");
    // An answer that says so, or a quiet end.
    assert!(silent[1].hears_within(HEAD_TIME + DEADLINE), "the second step has no limit");
    assert!(!silent[0].hears_within(Duration::from_millis(1)), "the first step has a limit");
}

/// How many hundredths of a second of CPU time it has used.
#[cfg(target_os = "linux")]
fn cpu_ticks(server: &Server) -> u64 {
    let path = format!("/proc/{}/stat", server.id());
    let stat = std::fs::read_to_string(path).expect("the server still runs");
    // User and system time are the fields 14 and 15; the second is the name, in parentheses.
    let (_, rest) = stat.rsplit_once(')').expect("it has a name");
    let times = rest.split_whitespace().skip(11).take(2);
    times.map(|digits| digits.parse::<u64>().expect("a number")).sum()
}

/// An `accept` that fails is tried again after a pause. Tried at once, it would keep the thread on which the clients are
/// served, whose descriptors would then never be given back.
#[cfg(target_os = "linux")]
#[test]
fn the_steps_wait_until_a_descriptor_is_given_back() {
    for name in STEPS {
        let server = step(name).launch().limit_files(32).start();
        let clients = Client::half_open_until_full(&server, 32).unwrap();
        // Others wait in the backlog.
        let others: Vec<Client> = (0..5).map(|_| Client::connect(&server).unwrap()).collect();
        let before = cpu_ticks(&server);
        std::thread::sleep(Duration::from_millis(500));
        let used = cpu_ticks(&server) - before;
        assert!(used <= 5, "{name}: {used} of 50 hundredths while it could accept nobody");
        drop((clients, others));
        check_answer(&mut Client::asking(&server, "/").unwrap());
    }
}

/// Which request to `/tenth` the answer says that it was.
fn number_of_tenth(client: &mut Client) -> u64 {
    let response = client.response().unwrap();
    let number = response.text().split(' ').nth(1).and_then(|digits| digits.parse().ok());
    number.unwrap_or_else(|| panic!("no number in {response:?}"))
}

/// A client sends more at once than one turn is for, and each of its requests computes. Its task never has to wait.
#[test]
fn a_client_that_always_has_more_to_say_lets_others_in() {
    const REQUESTS: usize = 600;
    let server = Rung::named("own_runtime").launch_with_threads(1).args(&["--keep-alive"]).start();
    let is_let_in = |_| {
        let mut greedy = Client::connect(&server).unwrap();
        let computes = "GET /work?n=500 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(REQUESTS);
        greedy.send(computes + "GET /tenth?ms=0 HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        check_answer(&mut greedy);
        let other = number_of_tenth(&mut Client::asking(&server, "/tenth?ms=0").unwrap());
        (1..REQUESTS).for_each(|_| check_answer(&mut greedy));
        other < number_of_tenth(&mut greedy)
    };
    // On a machine that stalls, the other may come late.
    assert!((0..5).any(is_let_in), "in five tries the other client was served last");
}

/// While clients wait in the backlog, `accept` never has to wait. The clients that it has accepted get their turn.
#[cfg(target_os = "linux")]
#[test]
fn the_accept_loop_lets_accepted_clients_in() {
    use ladder_tests::{below_strace, have};
    if !have("strace") {
        return;
    }
    let launch = Rung::named("own_runtime").launch_with_threads(1);
    let calls = below_strace(launch, &["-e", "trace=accept4,recvfrom"], |server| {
        let mut busy = Client::asking(server, "/work?n=100000").unwrap();
        // Meanwhile they wait in the backlog.
        let mut clients: Vec<Client> =
            (0..200).map(|_| Client::asking(server, "/").unwrap()).collect();
        clients.iter_mut().for_each(check_answer);
        check_answer(&mut busy);
    });
    let mut in_a_row = 0;
    let mut most = 0;
    for call in calls.lines() {
        in_a_row = if call.contains("accept4(") { in_a_row + 1 } else { 0 };
        most = most.max(in_a_row);
    }
    assert!(most <= 64, "{most} accepts in a row");
}

/// mio asks for it, although epoll forgets a socket whose last descriptor is closed. That would be another one where
/// somebody has copied it.
#[cfg(target_os = "linux")]
#[test]
fn a_socket_is_taken_off_the_list_before_it_is_closed() {
    use ladder_tests::{below_strace, have};
    if !have("strace") {
        return;
    }
    const CLIENTS: usize = 5;
    let calls =
        below_strace(Rung::named("own_runtime").launch(), &["-e", "trace=epoll_ctl"], |server| {
            (0..CLIENTS).for_each(|_| check_answer(&mut Client::asking(server, "/").unwrap()));
        });
    let taken_off = calls.lines().filter(|call| call.contains("EPOLL_CTL_DEL")).count();
    // The listener too, when the server stops.
    assert_eq!(taken_off, CLIENTS + 1, "{calls}");
}

/// The page promises a runtime that its reader has read: each line of code of the runtime, and of the sockets on it,
/// is in one of its listings.
#[test]
fn the_page_shows_every_line_of_the_runtime() {
    use std::{fs, path::Path};
    let page = fs::read_to_string("../book/own-runtime.md").expect("the page is there");
    let folder = Path::new("../examples/own_runtime");
    let entries = fs::read_dir(folder.join("runtime")).expect("the folder is there");
    let runtime = entries.map(|entry| entry.expect("it can be listed").file_name());
    let runtime = runtime.map(|name| format!("runtime/{}", name.to_string_lossy()));
    let mut files: Vec<String> = runtime.collect();
    assert!(files.len() > 3, "{files:?}");
    files.extend(["queue.rs", "net.rs"].map(str::to_owned));
    let mut missing = Vec::new();
    for file in files {
        let source = fs::read_to_string(folder.join(&file)).expect("it can be read");
        let mut shown = false;
        for (index, line) in source.lines().map(str::trim).enumerate() {
            if let Some(anchor) = line.strip_prefix("// ANCHOR: ") {
                let include = format!("{{{{#include ../examples/own_runtime/{file}:{anchor}}}}}");
                shown = page.contains(&include);
            } else if line.starts_with("// ANCHOR_END: ") {
                shown = false;
            } else if !shown && !line.is_empty() && !line.starts_with("//") {
                missing.push(format!("{file}:{}: {line}", index + 1));
            }
        }
    }
    assert!(missing.is_empty(), "in no listing of the page: {missing:#?}");
}

/// The steps that the page lists for request 3 are in its recording: what is recorded anew has to have them as well.
#[test]
fn the_request_that_the_page_follows_takes_its_steps() {
    let path = "../measurements/results/observed/own_runtime.json";
    let text = std::fs::read_to_string(path).expect("the recording is there");
    let recording: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let request = &recording["requests"][2];
    let task = &recording["tasks"][request["task"].as_u64().expect("it has a task") as usize];
    let time = |value: &serde_json::Value| value.as_u64().expect("a time");
    let polls = task["polls"].as_array().expect("a list");
    let [first, second, third, _last] = &polls[..] else { panic!("{} polls", polls.len()) };
    let [event, timer, _closed] = &task["wakes"].as_array().expect("a list")[..] else {
        panic!("not three wakes: {}", task["wakes"])
    };
    // `Pending`, event and wake, and the poll that reads; then the timer, and the poll that writes.
    assert!(time(&first[1]) <= time(event) && time(event) <= time(&second[0]), "{task}");
    assert!(time(&second[1]) + 90_000 < time(timer) && time(timer) <= time(&third[0]), "{task}");
    assert!(time(&third[0]) <= time(&request["answered"]), "{request}");
}
