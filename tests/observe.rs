//! `cargo xtask observe`: what it records of real servers is what these servers do.
//!
//! The instrumented servers are the rungs' own files, so these are tests of the rungs, too. Those that need one are slow:
//! its dependencies are compiled for it alone.
#![cfg(target_os = "linux")]

use std::{
    fs, io,
    path::Path,
    process::Stdio,
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Finished, Signal, is_here, observed, program, run, send_signal, skip};
use records::{
    recording::{Recording, Request, State},
    servers::Server,
};

/// How long one recording may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Why nothing can be recorded here: the kernel's tracer is not mounted, or we have no right to it.
static REFUSED: LazyLock<Option<io::Error>> = LazyLock::new(|| {
    let name = format!("may-record-{}", std::process::id());
    let tracer = Path::new("/sys/kernel/tracing/instances").join(name);
    fs::create_dir(&tracer).and_then(|()| fs::remove_dir(&tracer)).err()
});

/// Whether servers can be recorded here; if not, that is said as a test that is skipped.
///
/// # Panics
/// When they can't, and the environment variable `CI` is set.
fn may_record() -> bool {
    if let Some(error) = &*REFUSED {
        skip(&format!("the kernel's tracer: {error}; `cargo xtask observe` says how to get it"));
    }
    REFUSED.is_none()
}

/// Records this server, opening or program; `executable` is the instrumented server, if that is built here.
#[track_caller]
fn recording(name: &str, executable: Option<&Path>, args: &[&str]) -> Recording {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("recording.json");
    let mut command = program("observe");
    command.arg(name).arg("--out").arg(&out).args(args);
    if let Some(executable) = executable {
        command.arg("--executable").arg(executable);
    }
    let finished = run(&mut command, LIMIT);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let text = fs::read_to_string(&out).expect("it was written");
    let recording: Recording = serde_json::from_str(&text).expect("it is a recording");
    recording.check().expect("its parts fit together");
    assert!(recording.threads.iter().any(|thread| thread.name == "main"), "no main thread");
    recording
}

/// Records this rung; each of its requests was answered.
#[track_caller]
fn of_rung(rung: &str, args: &[&str]) -> Recording {
    let recording = recording(rung, Some(observed(rung).as_ref()), args);
    assert_eq!(recording.rung, rung);
    assert!(recording.requests.iter().all(|request| request.status == Some(200)));
    for request in &recording.requests {
        let Time { from, to } = handled(request);
        // A thread that was ready must still get to its handler, and to the end of it.
        assert!(request.sent <= from && from <= request.answered, "{from} to {to}: {request:?}");
    }
    recording
}

#[derive(Clone, Copy, Debug)]
struct Time {
    from: u64,
    to: u64,
}

/// The first time in which a request was in its handler.
#[track_caller]
fn handled(request: &Request) -> Time {
    let (from, to) = request.handled.as_deref().expect("it was seen")[0];
    Time { from, to }
}

fn all_handled(recording: &Recording) -> Vec<Time> {
    recording.requests.iter().map(handled).collect()
}

/// The names of the threads that served a request, without repeats.
fn serving_threads(recording: &Recording) -> Vec<&str> {
    let mut ids: Vec<usize> = recording.requests.iter().map(|request| request.thread).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|id| recording.threads[id].name.as_str()).collect()
}

/// The most of these that are going on at once.
fn at_once(times: &[Time]) -> usize {
    let during =
        |it: &Time| times.iter().filter(|at| at.from <= it.from && it.from < at.to).count();
    times.iter().map(during).max().unwrap_or_default()
}

/// Checks what is so in every recording of an async rung: a task for each request.
#[track_caller]
fn check_tasks(recording: &Recording) {
    for request in &recording.requests {
        let task = &recording.tasks[request.task.expect("it has a task")];
        assert_eq!(task.request, Some(request.id));
        assert_eq!(task.polls[0].2, request.thread, "the first poll is by the serving thread");
        // The handler's time is that of its task's polls.
        let Time { from, to } = handled(request);
        let end = task.polls[task.polls.len() - 1].1;
        assert!(task.polls[0].0 <= from && to <= end, "{task:?}");
    }
    for task in &recording.tasks {
        // Nobody polls again a task that was not woken.
        assert!(task.polls.len() <= task.wakes.len() + 1, "{task:?}");
    }
}

#[test]
#[ignore = "slow"]
fn rung_1_handles_one_request_at_a_time() {
    if !may_record() {
        return;
    }
    let recording = of_rung("ch01_single_threaded", &["--route", "/sleep?ms=20"]);
    assert_eq!(recording.requests.len(), 12);
    assert_eq!(serving_threads(&recording), ["main"]);
    assert_eq!(at_once(&all_handled(&recording)), 1);
    assert!(recording.tasks.is_empty());
}

#[test]
#[ignore = "slow"]
fn rung_2_has_a_thread_for_each_request() {
    if !may_record() {
        return;
    }
    let args = ["--clients", "3", "--requests", "2", "--route", "/sleep?ms=20"];
    let recording = of_rung("ch02_thread_spawn", &args);
    let names = serving_threads(&recording);
    assert_eq!(names.len(), 6);
    assert!(names.iter().all(|name| name.starts_with("connection-")), "{names:?}");
}

#[test]
#[ignore = "slow"]
fn rung_3_never_handles_more_requests_than_it_has_workers() {
    if !may_record() {
        return;
    }
    let args = ["--threads", "2", "--clients", "5", "--requests", "2", "--route", "/sleep?ms=20"];
    let recording = of_rung("ch03_threadpool", &args);
    assert_eq!(recording.requests.len(), 10);
    let workers = ["worker-1", "worker-2"];
    assert!(serving_threads(&recording).iter().all(|name| workers.contains(name)));
    let handled = all_handled(&recording);
    assert!(at_once(&handled) <= 2, "{handled:?}");
    assert!(recording.observation.events > 0);
    assert_eq!(recording.server_options, ["--threads", "2"]);
}

/// One thread has many requests in its hands, none of which is a task.
#[test]
#[ignore = "slow"]
fn the_event_loop_has_all_requests_on_one_thread() {
    if !may_record() {
        return;
    }
    let args = ["--clients", "5", "--requests", "1", "--route", "/sleep?ms=1000"];
    let recording = of_rung("event_loop", &args);
    assert_eq!(recording.requests.len(), 5);
    assert_eq!(serving_threads(&recording), ["main"]);
    let mut whole = Vec::new();
    let mut turns = Vec::new();
    for request in &recording.requests {
        whole.push(Time { from: request.sent, to: request.answered });
        let own = request.handled.as_deref().expect("it was seen");
        // A turn before the sleep and one after it.
        assert!(own.len() > 1, "{request:?}");
        turns.extend(own.iter().map(|&(from, to)| Time { from, to }));
    }
    assert!(at_once(&whole) > 1, "{whole:?}");
    assert_eq!(at_once(&turns), 1, "{turns:?}");
    assert!(recording.tasks.is_empty());
}

#[test]
#[ignore = "slow"]
fn the_async_rungs_have_a_task_for_each_request() {
    if !may_record() {
        return;
    }
    for rung in
        ["ch04_async_std", "ch04_smol", "ch05_futures_executor", "ch06_tokio", "ch07_bounded"]
    {
        println!("{rung}:");
        let recording = of_rung(rung, &["--clients", "5", "--route", "/sleep?ms=100"]);
        check_tasks(&recording);
        let names: Vec<&str> = recording.tasks.iter().map(|task| task.name.as_str()).collect();
        // Rung 5 has its accept loop on a thread of its own.
        let mut expected = match rung {
            "ch05_futures_executor" => Vec::new(),
            _ => vec!["accept loop".to_owned()],
        };
        expected.extend((0..10).map(|number| format!("connection {number}")));
        assert_eq!(names, expected, "{rung}");
        // It waits at least once: for its time to be over.
        assert!(recording.tasks.iter().all(|task| task.polls.len() >= 2), "{rung}");
    }
}

/// Its tasks report from a copy of its files. Beside the accept loop it has a task that waits for that.
#[test]
#[ignore = "slow"]
fn the_runtime_by_hand_has_a_task_for_each_request() {
    if !may_record() {
        return;
    }
    let recording = of_rung("own_runtime", &["--clients", "5", "--route", "/sleep?ms=100"]);
    check_tasks(&recording);
    let names: Vec<&str> = recording.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!((names.len(), names[1], names[2]), (12, "accept loop", "connection 0"));
    // Each waits at least for its time to be over.
    assert!(recording.tasks[1..].iter().all(|task| task.polls.len() >= 2));
}

/// No server: the jobs of one task are told apart, and a wait that is over is so before a thread has looked.
#[test]
#[ignore = "slow"]
fn the_jobs_of_one_task_are_told_apart() {
    if !may_record() {
        return;
    }
    let recording = recording("jobs-joined", Some(observed("jobs_joined").as_ref()), &[]);
    let [a, b, c, d] = &recording.tasks[..] else { panic!("{:?}", recording.tasks) };
    assert_eq!([a, b, c, d].map(|job| job.name.as_str()), ["A", "B", "C", "D"]);
    let main = a.polls[0].2;
    assert!([b, c, d].iter().all(|job| job.polls[0].2 == main), "{:?}", recording.tasks);
    let ends = d.polls[0].1;
    assert!(c.polls[0].1 <= d.polls[0].0, "they compute in turn");
    for wait in [a, b] {
        assert!(ends <= wait.polls[1].0, "it is polled again when all is computed");
        assert!(wait.wakes[0] < ends, "it could have gone on before");
    }
}

#[test]
#[ignore = "slow"]
fn a_blocking_call_in_a_task_is_one_long_poll() {
    if !may_record() {
        return;
    }
    let args = ["--threads", "2", "--clients", "4", "--requests", "1", "--route", "/sleep?ms=50"];
    let recording = of_rung("ch05_futures_blocking", &args);
    check_tasks(&recording);
    assert!(at_once(&all_handled(&recording)) <= 2);
    for task in &recording.tasks {
        let [(from, to, _)] = task.polls[..] else { panic!("{task:?}") };
        assert!(to - from >= 50_000, "{task:?}");
    }
}

/// The tracer of the kernel and the reports of the program know nothing of each other.
#[test]
#[ignore = "slow"]
fn whoever_polls_a_task_is_on_a_processor() {
    if !may_record() {
        return;
    }
    let recording = of_rung("ch06_tokio", &[]);
    let mut on = 0;
    let mut all = 0;
    for &(from, to, thread) in recording.tasks.iter().flat_map(|task| &task.polls) {
        let mut spans = recording.threads[thread].spans.iter();
        all += 1;
        // Both times are rounded.
        let runs =
            spans.any(|span| span.2 == State::Running && span.0 <= to + 1 && from <= span.1 + 1);
        on += usize::from(runs);
    }
    assert!(all > 12 && on * 10 >= all * 9, "{on} of {all} polls on a processor");
}

#[test]
#[ignore = "slow"]
fn an_opening_sends_its_clients_to_their_routes_at_their_times() {
    if !may_record() {
        return;
    }
    let server = observed("ch01_single_threaded");
    let recording = recording("one-thread", Some(server.as_ref()), &[]);
    assert_eq!(recording.rung, "ch01_single_threaded");
    let [sleeper, other] = &recording.requests[..] else { panic!("two clients ask") };
    assert_eq!((sleeper.route.as_str(), other.route.as_str()), ("/sleep?ms=5000", "/"));
    let apart = other.sent - sleeper.sent;
    assert!((490_000..1_000_000).contains(&apart), "{apart} µs between the two");
    // The only thread sleeps for the first, so the second waits for that.
    assert!(other.answered >= sleeper.sent + 5_000_000);
    assert_eq!(recording.command, "cargo xtask observe one-thread");
    assert_eq!(recording.route, "/sleep?ms=5000 and /");
}

/// Rung 2 does nothing about Ctrl-C: it ends, and no client that waits gets a word.
#[test]
#[ignore = "slow"]
fn a_stop_cuts_off_the_clients_that_wait() {
    if !may_record() {
        return;
    }
    let server = observed("ch02_thread_spawn");
    let recording = recording("stopped-at-once", Some(server.as_ref()), &[]);
    assert_eq!(recording.requests.len(), 3);
    for request in &recording.requests {
        assert_eq!(request.status, None);
        let ended = request.answered - recording.requests[0].sent;
        assert!((2_400_000..3_000_000).contains(&ended), "cut off {ended} µs after the first");
        let Time { from, to } = handled(request);
        assert!(from < to && to <= request.answered, "{request:?}");
    }
}

/// Nothing in Node's own files reports: its diagnostics channels do.
#[test]
fn node_serves_nobody_while_it_computes() {
    if !may_record() {
        return;
    }
    if !is_here(Server::foreign("node_http").expect("it is declared")) {
        return;
    }
    let recording = recording("node-computes", None, &[]);
    assert_eq!(serving_threads(&recording), ["main"]);
    let [computing, other] = &recording.requests[..] else { panic!("two clients ask") };
    assert!(other.sent < computing.answered, "{other:?}");
    let (first, second) = (handled(computing), handled(other));
    assert!(first.from < first.to && first.to <= second.from, "{first:?} {second:?}");
}

#[ignore = "slow"]
#[test]
fn what_can_not_be_recorded_is_said_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("recording.json");
    let refused = |rung: &str, args: &[&str]| -> Finished {
        let mut command = program("observe");
        command.arg(rung).arg("--out").arg(&out).args(args);
        let finished = run(&mut command, LIMIT);
        assert_ne!(finished.code, Some(0), "{rung} {args:?}");
        assert!(!out.exists(), "{rung} {args:?}");
        finished
    };
    for (rung, args, word) in [
        ("ch07_nothing", &[][..], "ch06_tokio"),
        ("ch06_tokio", &["--route", "/nowhere"], "/nowhere"),
        ("ch06_tokio", &["--clients", "0"], "--clients"),
        ("ch06_tokio", &["--clients", "many"], "--clients"),
        ("ch06_tokio", &["--requests", "1000"], "--requests"),
        ("ch06_tokio", &["--threads", "2"], "--threads"),
    ] {
        let finished = refused(rung, args);
        assert!(finished.stderr.contains(word), "{rung} {args:?}: {}", finished.stderr);
        assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    }
    // Without a tracer it is one line, before anything is built.
    if REFUSED.is_some() {
        let finished = refused("ch06_tokio", &[]);
        let lines: Vec<&str> = finished.stderr.lines().collect();
        assert!(lines.len() == 1 && lines[0].contains("the kernel's tracer"), "{lines:?}");
        assert_eq!(finished.stdout, "");
    }
    if !may_record() {
        return;
    }
    let finished = refused("ch03_threadpool", &["--executable", "/nowhere/rung"]);
    assert!(finished.stderr.contains("/nowhere/rung"), "{}", finished.stderr);
    // A page that answers with something else than 200 is none to show.
    let server = observed("ch06_tokio").display().to_string();
    let finished = refused("ch06_tokio", &["--route", "/sleep?ms=99999", "--executable", &server]);
    assert!(finished.stderr.contains("400"), "{}", finished.stderr);
}

#[test]
#[ignore = "slow"]
fn ctrl_c_leaves_no_file_and_no_server() {
    if !may_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("recording.json");
    let mut command = program("observe");
    command.args(["ch03_threadpool", "--route", "/sleep?ms=10000", "--executable"]);
    command.arg(observed("ch03_threadpool")).arg("--out").arg(&out);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the tool starts");
    let begin = Instant::now();
    let server = loop {
        if let Some(server) = child_of(child.id()) {
            break server;
        }
        assert!(begin.elapsed() < LIMIT, "the tool starts no server");
        thread::sleep(Duration::from_millis(10));
    };
    // The server is there, and the requests take ten seconds.
    thread::sleep(Duration::from_millis(500));
    send_signal(child.id(), Signal::Interrupt).expect("the tool runs");
    let output = child.wait_with_output().expect("the tool ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("no recording was written"), "{said}");
    assert!(!out.exists());
    assert!(!Path::new(&format!("/proc/{server}")).exists(), "the server lives on");
}

/// A process that this one has started, if there is one with the name of an observed server.
fn child_of(parent: u32) -> Option<u32> {
    let children = fs::read_dir(format!("/proc/{parent}/task")).ok()?.filter_map(|task| {
        let path = task.ok()?.path().join("children");
        fs::read_to_string(path).ok()
    });
    let ids: Vec<u32> = children
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|id| id.parse().ok())
        .collect();
    ids.into_iter().find(|id| {
        fs::read_to_string(format!("/proc/{id}/comm"))
            .is_ok_and(|name| name.starts_with("observed_"))
    })
}
