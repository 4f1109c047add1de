//! `cargo xtask observe`: what it records of real servers is what these servers do.
//!
//! The instrumented servers are the rungs' own files, so these are tests of the rungs, too. Those that need one are slow:
//! its dependencies are compiled for it alone.
#![cfg(target_os = "linux")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Finished, Signal, is_here, observed, program, run, send_signal, skip};
use records::servers::Server;
use serde_json::Value;

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

/// The command that records this rung into a file of its own.
fn observe(rung: &str, args: &[&str], out: &Path) -> Command {
    let mut command = program("observe");
    command.args([rung, "--executable"]).arg(observed(rung));
    command.arg("--out").arg(out).args(args);
    command
}

/// A recording, with the questions that the tests ask.
struct Recording(Value);

/// From and to.
type Time = (u64, u64);

impl Recording {
    /// Records this rung.
    #[track_caller]
    fn of(rung: &str, args: &[&str]) -> Recording {
        let folder = Scratch::new(rung);
        let out = folder.0.join("recording.json");
        let recording = Recording::by(&mut observe(rung, args, &out), &out);
        assert_eq!(recording.0["rung"], rung);
        assert!(recording.0["build"]["settings"].is_object(), "{}", recording.0["build"]);
        recording.holds_together();
        recording
    }

    /// Records an opening of this server, which is built here if it is a rung.
    #[track_caller]
    fn of_opening(name: &str, server: &str) -> Recording {
        let folder = Scratch::new(name);
        let out = folder.0.join("recording.json");
        let mut command = program("observe");
        command.arg(name).arg("--out").arg(&out);
        if Server::foreign(server).is_none() {
            command.arg("--executable").arg(observed(server));
        }
        let recording = Recording::by(&mut command, &out);
        assert_eq!(recording.0["rung"], server);
        recording
    }

    /// What this command records.
    #[track_caller]
    fn by(command: &mut Command, out: &Path) -> Recording {
        let finished = run(command, LIMIT);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        let text = fs::read_to_string(out).expect("it was written");
        Recording(serde_json::from_str(&text).expect("it is JSON"))
    }

    #[track_caller]
    fn list(&self, name: &str) -> &[Value] {
        self.0[name].as_array().unwrap_or_else(|| panic!("no {name}"))
    }

    /// The time in which each request was in its handler.
    fn handled(&self) -> Vec<Time> {
        self.list("requests").iter().map(|request| time(&request["handled"][0])).collect()
    }

    /// The names of the threads that served a request, without repeats.
    fn serving_threads(&self) -> Vec<&str> {
        let mut ids: Vec<u64> =
            self.list("requests").iter().map(|request| number(&request["thread"])).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.iter().map(|&id| text(&self.list("threads")[id as usize]["name"])).collect()
    }

    /// What is so in every recording.
    #[track_caller]
    fn holds_together(&self) {
        let duration = number(&self.0["duration_us"]);
        let threads = self.list("threads");
        assert!(threads.iter().any(|thread| thread["name"] == "main"), "no main thread");
        for thread in threads {
            let spans = thread["spans"].as_array().expect("a list");
            let mut last = 0;
            for span in spans {
                let (from, to) = time(span);
                assert!(last <= from && from < to && to <= duration, "{thread}");
                assert_eq!(span[2] == "running", span[3].is_u64(), "{span}");
                last = to;
            }
        }
        for request in self.list("requests") {
            assert_eq!(request["status"], 200);
            let (from, to) = time(&request["handled"][0]);
            let (sent, answered) = (number(&request["sent"]), number(&request["answered"]));
            // A thread that was ready must still get to its handler, and to the end of it.
            assert!(sent <= from && from <= to && from <= answered && answered <= duration);
            if let Some(accepted) = request["accepted"].as_u64() {
                assert!(sent <= accepted && accepted <= from, "{request}");
            }
            assert!((number(&request["thread"]) as usize) < threads.len());
        }
    }

    /// What is so in every recording of an async rung: a task for each request, polled by one thread at a time.
    #[track_caller]
    fn has_a_task_for_each_request(&self) {
        for request in self.list("requests") {
            let id = number(&request["task"]);
            let task = &self.list("tasks")[id as usize];
            assert_eq!(task["request"], request["id"]);
            let polls = task["polls"].as_array().expect("a list");
            assert_eq!(polls[0][2], request["thread"], "the first poll is by the serving thread");
            assert!(number(&task["spawned"]) <= time(&polls[0]).0);
            // The handler's time is that of its task's polls.
            let (from, to) = time(&request["handled"][0]);
            assert!(time(&polls[0]).0 <= from && to <= time(&polls[polls.len() - 1]).1, "{task}");
        }
        for task in self.list("tasks") {
            let polls: Vec<Time> =
                task["polls"].as_array().expect("a list").iter().map(time).collect();
            assert!(polls.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{task}");
            // Nobody polls again a task that was not woken.
            let wakes = task["wakes"].as_array().expect("a list").len();
            assert!(polls.len() <= wakes + 1, "{task}");
        }
    }
}

#[track_caller]
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

#[track_caller]
fn time(value: &Value) -> Time {
    (number(&value[0]), number(&value[1]))
}

/// The most of these that are going on at once.
fn at_once(times: &[Time]) -> usize {
    let during = |&(from, _): &Time| times.iter().filter(|it| it.0 <= from && from < it.1).count();
    times.iter().map(during).max().unwrap_or_default()
}

/// A folder that goes away again.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let thread = format!("{:?}", thread::current().id()).replace(['(', ')'], "-");
        let name = format!("observe-{name}-{}-{thread}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[ignore = "slow"]
fn rung_1_handles_one_request_at_a_time() {
    if !may_record() {
        return;
    }
    let recording = Recording::of("ch01_single_threaded", &["--route", "/sleep?ms=20"]);
    assert_eq!(recording.list("requests").len(), 12);
    assert_eq!(recording.serving_threads(), ["main"]);
    assert_eq!(at_once(&recording.handled()), 1);
    assert!(recording.list("tasks").is_empty());
}

#[test]
#[ignore = "slow"]
fn rung_2_has_a_thread_for_each_request() {
    if !may_record() {
        return;
    }
    let args = ["--clients", "3", "--requests", "2", "--route", "/sleep?ms=20"];
    let recording = Recording::of("ch02_thread_spawn", &args);
    let names = recording.serving_threads();
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
    let recording = Recording::of("ch03_threadpool", &args);
    assert_eq!(recording.list("requests").len(), 10);
    let workers = ["worker-1", "worker-2"];
    assert!(recording.serving_threads().iter().all(|name| workers.contains(name)));
    assert!(at_once(&recording.handled()) <= 2, "{:?}", recording.handled());
    assert!(number(&recording.0["sampling"]["samples"]) > 0);
    assert_eq!(recording.0["server_options"], serde_json::json!(["--threads", "2"]));
}

/// One thread has many requests in its hands, none of which is a task.
#[test]
#[ignore = "slow"]
fn the_event_loop_has_all_requests_on_one_thread() {
    if !may_record() {
        return;
    }
    let args = ["--clients", "5", "--requests", "1", "--route", "/sleep?ms=1000"];
    let recording = Recording::of("event_loop", &args);
    assert_eq!(recording.list("requests").len(), 5);
    assert_eq!(recording.serving_threads(), ["main"]);
    let requests = recording.list("requests");
    let whole: Vec<Time> =
        requests.iter().map(|it| (number(&it["sent"]), number(&it["answered"]))).collect();
    assert!(at_once(&whole) > 1, "{whole:?}");
    // A turn before the sleep and one after it, and never two at the same time.
    let turns = |it: &Value| it["handled"].as_array().expect("it is a list").clone();
    assert!(requests.iter().all(|it| turns(it).len() > 1), "{requests:?}");
    let all: Vec<Time> = requests.iter().flat_map(turns).map(|it| time(&it)).collect();
    assert_eq!(at_once(&all), 1, "{all:?}");
    assert!(recording.list("tasks").is_empty());
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
        let recording = Recording::of(rung, &["--clients", "5", "--route", "/sleep?ms=100"]);
        recording.has_a_task_for_each_request();
        let names: Vec<&str> =
            recording.list("tasks").iter().map(|task| text(&task["name"])).collect();
        let expected = (0..10).map(|number| format!("connection {number}"));
        let accept = "accept loop".to_owned();
        // Rung 5 has its accept loop on a thread of its own.
        let own = (rung != "ch05_futures_executor").then_some(accept);
        assert_eq!(names, own.into_iter().chain(expected).collect::<Vec<_>>(), "{rung}");
        // It waits at least once: for its time to be over.
        let polls = |task: &Value| task["polls"].as_array().map_or(0, Vec::len);
        assert!(recording.list("tasks").iter().all(|task| polls(task) >= 2), "{rung}");
    }
}

/// Its tasks report from a copy of its files. Beside the accept loop it has a task that waits for that.
#[test]
#[ignore = "slow"]
fn the_runtime_by_hand_has_a_task_for_each_request() {
    if !may_record() {
        return;
    }
    let recording = Recording::of("own_runtime", &["--clients", "5", "--route", "/sleep?ms=100"]);
    recording.has_a_task_for_each_request();
    let tasks = recording.list("tasks");
    let names: Vec<&str> = tasks.iter().map(|task| text(&task["name"])).collect();
    assert_eq!((names.len(), names[1], names[2]), (12, "accept loop", "connection 0"));
    // Each waits at least for its time to be over.
    assert!(tasks[1..].iter().all(|task| task["polls"].as_array().map_or(0, Vec::len) >= 2));
}

/// No server: the jobs of one task are told apart, and a wait that is over is so before a thread has looked.
#[test]
#[ignore = "slow"]
fn the_jobs_of_one_task_are_told_apart() {
    if !may_record() {
        return;
    }
    let folder = Scratch::new("jobs-joined");
    let out = folder.0.join("recording.json");
    let mut command = program("observe");
    command.args(["jobs-joined", "--executable"]).arg(observed("jobs_joined"));
    let recording = Recording::by(command.arg("--out").arg(&out), &out);
    recording.holds_together();
    let [a, b, c, d] = recording.list("tasks") else { panic!("{}", recording.0["tasks"]) };
    assert_eq!([a, b, c, d].map(|job| text(&job["name"])), ["A", "B", "C", "D"]);
    let polls = |job: &Value| job["polls"].as_array().expect("a list").clone();
    let main = [a, b, c, d].map(|job| polls(job)[0][2].clone());
    assert!(main.iter().all(|thread| *thread == main[0]), "{main:?}");
    let [(_, c_ends), (d_begins, d_ends)] = [c, d].map(|job| time(&polls(job)[0]));
    assert!(c_ends <= d_begins, "they compute in turn");
    for wait in [a, b] {
        assert!(d_ends <= time(&polls(wait)[1]).0, "it is polled again when all is computed");
        assert!(number(&wait["wakes"][0]) < d_ends, "it could have gone on before");
    }
}

#[test]
#[ignore = "slow"]
fn a_blocking_call_in_a_task_is_one_long_poll() {
    if !may_record() {
        return;
    }
    let args = ["--threads", "2", "--clients", "4", "--requests", "1", "--route", "/sleep?ms=50"];
    let recording = Recording::of("ch05_futures_blocking", &args);
    recording.has_a_task_for_each_request();
    assert!(at_once(&recording.handled()) <= 2);
    for task in recording.list("tasks") {
        let polls = task["polls"].as_array().expect("a list");
        let (from, to) = time(&polls[0]);
        assert!(polls.len() == 1 && to - from >= 50_000, "{task}");
    }
}

/// The tracer of the kernel and the reports of the program know nothing of each other.
#[test]
#[ignore = "slow"]
fn whoever_polls_a_task_is_on_a_processor() {
    if !may_record() {
        return;
    }
    let recording = Recording::of("ch06_tokio", &[]);
    let polls = recording.list("tasks").iter().flat_map(|task| task["polls"].as_array().unwrap());
    let mut on = 0;
    let mut all = 0;
    for poll in polls {
        let (from, to) = time(poll);
        let spans = recording.list("threads")[number(&poll[2]) as usize]["spans"].as_array();
        let runs = spans.expect("a list").iter().filter(|span| span[2] == "running").map(time);
        all += 1;
        // Both times are rounded.
        on += usize::from(runs.into_iter().any(|run| run.0 <= to + 1 && from <= run.1 + 1));
    }
    assert!(all > 12 && on * 10 >= all * 9, "{on} of {all} polls on a processor");
}

#[test]
#[ignore = "slow"]
fn an_opening_sends_its_clients_to_their_routes_at_their_times() {
    if !may_record() {
        return;
    }
    let recording = Recording::of_opening("one-thread", "ch01_single_threaded");
    recording.holds_together();
    let [sleeper, other] = recording.list("requests") else { panic!("two clients ask") };
    assert_eq!((text(&sleeper["route"]), text(&other["route"])), ("/sleep?ms=5000", "/"));
    let apart = number(&other["sent"]) - number(&sleeper["sent"]);
    assert!((490_000..1_000_000).contains(&apart), "{apart} µs between the two");
    // The only thread sleeps for the first, so the second waits for that.
    assert!(number(&other["answered"]) >= number(&sleeper["sent"]) + 5_000_000);
    assert_eq!(recording.0["command"], "cargo xtask observe one-thread");
    assert_eq!(recording.0["route"], "/sleep?ms=5000 and /");
}

/// Rung 2 does nothing about Ctrl-C: it ends, and no client that waits gets a word.
#[test]
#[ignore = "slow"]
fn a_stop_cuts_off_the_clients_that_wait() {
    if !may_record() {
        return;
    }
    let recording = Recording::of_opening("stopped-at-once", "ch02_thread_spawn");
    let requests = recording.list("requests");
    let first = number(&requests[0]["sent"]);
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert!(request["status"].is_null(), "{request}");
        let ended = number(&request["answered"]) - first;
        assert!((2_400_000..3_000_000).contains(&ended), "cut off {ended} µs after the first");
        let (from, to) = time(&request["handled"][0]);
        assert!(from < to && to <= number(&request["answered"]), "{request}");
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
    let recording = Recording::of_opening("node-computes", "node_http");
    recording.holds_together();
    assert_eq!(recording.serving_threads(), ["main"]);
    let [computing, other] = recording.list("requests") else { panic!("two clients ask") };
    assert!(number(&other["sent"]) < number(&computing["answered"]), "{other}");
    let [first, second] = [computing, other].map(|request| time(&request["handled"][0]));
    assert!(first.0 < first.1 && first.1 <= second.0, "{first:?} {second:?}");
}

#[test]
fn what_can_not_be_recorded_is_said_and_nothing_is_written() {
    let folder = Scratch::new("refused");
    let out = folder.0.join("recording.json");
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
    let finished = run(&mut observe("ch06_tokio", &["--route", "/sleep?ms=99999"], &out), LIMIT);
    assert!(finished.stderr.contains("400") && !out.exists(), "{}", finished.stderr);
}

#[test]
#[ignore = "slow"]
fn ctrl_c_leaves_no_file_and_no_server() {
    if !may_record() {
        return;
    }
    let folder = Scratch::new("stopped");
    let out = folder.0.join("recording.json");
    let mut command = observe("ch03_threadpool", &["--route", "/sleep?ms=10000"], &out);
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
