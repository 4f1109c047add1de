//! Small records, descriptions and recordings for the tests of this crate and of those above it.

use std::fs;

use crate::{
    description::{CONTROL, Experiment, Law, Pin, Variant},
    descriptions,
    machine::{Commit, Machine},
    recording::{FORMAT, Observation, Recording, Request, Span, State, Task, Thread},
    store::{Record, RoundRun, Session},
};

/// Makes a repository with a page, two servers and a program.
pub fn repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for folder in ["book", "measurements/experiments"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for example in ["ch03_threadpool", "wrong_servers", "hardware_threads"] {
        fs::create_dir_all(root.path().join("examples").join(example)).unwrap();
    }
    fs::write(root.path().join("book/measuring.md"), "# Measuring\n").unwrap();
    root
}

/// A small description that is right.
pub const POOL: &str = r#"
    title = "The law of the pool"
    question = "How many requests a second does a pool of k threads answer?"
    finding = "It is the law."
    page = "measuring"
    metric = "requests_per_second"
    rounds = 5
    pin = "apart"
    server = "ch03_threadpool"
    generator = ["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]
    seconds = 4
    [[variants]]
    name = "pool of 1"
    options = ["--threads", "1"]
    law = { value = 10, words = "1 / 0.1 s" }
    [[variants]]
    name = "pool of 4"
    options = ["--threads", "4"]
    descriptors = 200
    [variants.env]
    LIMITED = "1"
"#;

/// A small description of a program that is right.
pub const PROGRAM: &str = r#"
    title = "Rounds"
    question = "How many rounds a second do threads make?"
    finding = "It is the law."
    page = "measuring"
    metric = "rounds_per_second"
    rounds = 5
    program = "hardware_threads"
    seconds = 4
    [[variants]]
    name = "1 thread"
    arguments = ["--threads", "1", "--seconds", "{seconds}", "--json"]
    [[variants]]
    name = "8 threads"
    arguments = ["--threads", "8", "--seconds", "{seconds}", "--json"]
    pin = "one"
"#;

/// The law of the pool: its description, and its record without a run.
pub fn example() -> (Experiment, Record) {
    let description = descriptions::parse("pool-law", POOL, repository().path()).unwrap();
    (description, Record { session: session(), runs: Vec::new() })
}

/// A run that counts, with this rate.
pub fn run(round: usize, variant: &str, rate: f64) -> RoundRun {
    RoundRun {
        round,
        variant: variant.to_owned(),
        began: "2025-01-02T03:04:05Z".to_owned(),
        server: ["ch03_threadpool", "--port", "0", variant].map(str::to_owned).to_vec(),
        generator: ["wrk", "-t1", "http://127.0.0.1:40000/sleep"].map(str::to_owned).to_vec(),
        left_out: None,
        figures: [("requests_per_second".to_owned(), rate)].into(),
    }
}

/// A session on a small machine.
pub fn session() -> Session {
    Session {
        started: "2025-01-02T03:04:05Z".to_owned(),
        finished: "2025-01-02T04:04:05Z".to_owned(),
        seed: 7,
        rustc: "rustc 1.90.0".to_owned(),
        descriptor_limit: Some(1024),
        machine: Machine {
            cpu_model: Some("A <Processor> & Co".to_owned()),
            physical_cores: Some(1),
            hardware_threads: Some(2),
            memory_mib: Some(2048),
            kernel: Some("Linux 6".to_owned()),
            operating_system: None,
        },
        commit: Commit { head: Some("abc".to_owned()), sources: None, dirty: Some(false) },
        tools: [("wrk".to_owned(), "4.1.0".to_owned())].into(),
        executables: [("release/ch03_threadpool".to_owned(), "00".to_owned())].into(),
        wire_tests_passed: [("ch03_threadpool".to_owned(), 40)].into(),
        ..Session::default()
    }
}

/// A record with these rates by variant, one a round.
pub fn record(rates: &[(&str, &[f64])]) -> Record {
    let mut runs = Vec::new();
    for (variant, rates) in rates {
        for (round, rate) in (1..).zip(*rates) {
            runs.push(run(round, variant, *rate));
        }
    }
    Record { session: session(), runs }
}

/// Two variants, one of them with a law, of which a run is left out; and its description.
pub fn pool() -> (Experiment, Record) {
    let mut pool = record(&[
        ("pool of 1", &[9.9, 9.8, 10.0, 9.8, 9.9]),
        ("pool of 4", &[39.6, 39.0, 39.9, 39.1, 39.5]),
        (CONTROL, &[9.8, 9.9, 10.0, 9.8, 9.9]),
    ]);
    pool.runs.push(RoundRun { left_out: Some("errors".to_owned()), ..run(6, "pool of 1", 1.0) });
    let law = Law { value: 40.0, words: "4 / 0.1 s".to_owned() };
    let description = Experiment {
        title: "The law of the pool".to_owned(),
        question: "How many requests does a pool answer?".to_owned(),
        page: "measuring".to_owned(),
        metric: "requests_per_second".to_owned(),
        rounds: 5,
        pin: Pin::Apart,
        control: true,
        variants: vec![
            Variant::named("pool of 1"),
            Variant { law: Some(law), ..Variant::named("pool of 4") },
        ],
        ..Experiment::default()
    };
    (description, pool)
}

/// A recording of two requests, which two tasks handle on two threads.
pub fn recording() -> Recording {
    use State::{Ready, Running, Waiting};
    let first = [
        Span(0, 15, Waiting, None),
        Span(15, 20, Ready, None),
        Span(20, 40, Running, Some(1)),
        Span(40, 1000, Waiting, None),
    ];
    let second = [Span(400, 600, Running, Some(1))];
    let machine = Machine { cpu_model: Some("Some <CPU> | R".into()), ..Machine::default() };
    let observation = Observation { method: "every switch was seen".into(), events: 3 };
    let recording = Recording {
        format: FORMAT,
        rung: "ch06_tokio".into(),
        server_options: Vec::new(),
        command: "cargo xtask observe ch06_tokio --clients 2".into(),
        recorded: "2026-11-21T12:04:25Z".into(),
        commit: None,
        machine,
        binary_sha256: String::new(),
        build: None,
        route: "/sleep".into(),
        clients: 2,
        duration_us: 1000,
        cpus: 2,
        observation,
        threads: vec![thread(0, "worker <1>", &first), thread(1, "worker 2", &second)],
        requests: vec![request(0, 10, (25, 520), 500), request(1, 12, (410, 600), 590)],
        tasks: tasks(),
    };
    recording.check().unwrap();
    recording
}

fn thread(id: usize, name: &str, spans: &[Span]) -> Thread {
    Thread { id, tid: 10 + id as u64, name: name.to_owned(), spans: spans.to_vec() }
}

/// A task for each request, and one for none of them.
fn tasks() -> Vec<Task> {
    let name = "accept <loop> & more";
    vec![
        Task {
            id: 0,
            name: name.to_owned(),
            request: Some(0),
            polls: vec![(22, 30, 0), (450, 520, 1)],
            wakes: vec![420],
            spawned: 15,
            ended: Some(520),
        },
        Task {
            id: 1,
            name: name.to_owned(),
            request: Some(1),
            polls: vec![(405, 440, 1), (520, 600, 1)],
            wakes: vec![430],
            spawned: 20,
            ended: Some(600),
        },
        Task {
            id: 2,
            name: name.to_owned(),
            request: None,
            polls: vec![(700, 710, 0)],
            wakes: vec![690],
            spawned: 0,
            ended: None,
        },
    ]
}

fn request(id: usize, sent: u64, handled: (u64, u64), answered: u64) -> Request {
    Request {
        id,
        client: id as u64,
        route: "/sleep".into(),
        thread: 0,
        task: Some(id),
        sent,
        handled: Some(vec![handled]),
        answered,
        status: Some(200),
    }
}
