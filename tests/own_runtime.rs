//! The runtime by hand: the steps to it, each of which mends a fault of the one before.

use std::time::Duration;

use ladder_tests::{Client, DEADLINE, Rung, Server};
use site::{HEAD_TIME, compute};

#[track_caller]
fn check_answer(client: &mut Client) {
    let response = client.response();
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
    let mut halves: Vec<Client> = (0..20).map(|_| Client::connect(server)).collect();
    for client in &mut halves {
        client.send("GET /work?n=2 HTTP/1.1\r\n");
    }
    let mut sleeps = Client::asking(server, "/sleep?ms=10000");
    for target in ["/", "/sleep?ms=1", "/tenth?ms=1", "/file", "/work"] {
        check_answer(&mut Client::asking(server, target));
    }
    // In another order than that in which they came, and more than once.
    for client in halves.iter_mut().rev() {
        client.send("Host: a\r\n\r\nGET /work?n=3 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.response().text(), compute(2));
        assert_eq!(client.response().text(), compute(3));
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
        let mut first = Client::asking(server, "/work?n=100000");
        // A head start, within its time.
        if first.hears_within(Duration::from_millis(5 * attempt)) {
            continue;
        }
        check_answer(&mut Client::asking(server, "/"));
        return first.hears_within(Duration::from_millis(1));
    }
    panic!("twenty times the first client's answer came before the second client");
}

/// The first step has one thread and no time limits; the second has both.
#[test]
fn the_second_step_has_threads_and_limits() {
    let servers = [step(STEPS[0]).start(&[]), step(STEPS[1]).launch_with_threads(2).start()];
    let mut silent = servers.each_ref().map(Client::connect);
    assert!(waits_for_a_computation(&servers[0]), "the first step has served two at once");
    let seen = (0..20).any(|_| !waits_for_a_computation(&servers[1]));
    assert!(seen, "in twenty tries the second step never served two at once");
    // An answer that says so, or a quiet end.
    assert!(silent[1].hears_within(HEAD_TIME + DEADLINE), "the second step has no limit");
    assert!(!silent[0].hears_within(Duration::from_millis(1)), "the first step has a limit");
}

/// After so many turns of one kept connection its task gives way to others. Were that taken for "nothing to read", a
/// stop at this moment would cut off a client whose request is already there.
#[cfg(unix)]
#[test]
fn a_stop_answers_a_request_that_has_come_also_when_its_task_gives_way() {
    use ladder_tests::Signal;
    use std::thread;
    for before in [62, 63, 64] {
        let server =
            Rung::named("own_runtime").launch_with_threads(1).args(&["--keep-alive"]).start();
        let mut client = Client::connect(&server);
        for _ in 0..before {
            client.get("/work?n=0");
            check_answer(&mut client);
        }
        // It keeps the one thread busy, so the next request lies in its socket when the signal comes.
        let mut busy = Client::asking(&server, "/work?n=100000");
        thread::sleep(Duration::from_millis(30));
        client.get("/work?n=0");
        thread::sleep(Duration::from_millis(10));
        server.signal(Signal::Terminate);
        check_answer(&mut client);
        check_answer(&mut busy);
    }
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
