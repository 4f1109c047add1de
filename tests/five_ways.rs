//! What the page on futures, tasks and threads claims of its programs: who computes while who computes, when a wait that
//! is over is noticed, and what is left of the tasks that a function has started.
//!
//! Nothing here is timed: the drawings of the programs say what came before what, also on a machine that stalls.

use std::fs;

use ladder_tests::{DEADLINE, example, root, run};

const PAGE: &str = "book/futures-tasks-threads.md";

/// A job as it is drawn. Times are columns, and each may be off by one.
#[derive(Debug)]
struct Row {
    begun: usize,
    ended: usize,
    thread: String,
}

impl Row {
    /// Whether this one came to its end before the other began.
    fn is_before(&self, other: &Row) -> bool {
        self.ended <= other.begun + 1
    }

    /// Whether it came to its end no sooner than the other.
    fn ends_with_or_after(&self, other: &Row) -> bool {
        other.ended <= self.ended + 1
    }
}

/// The rows of a drawing, A to D.
#[track_caller]
fn rows(drawing: &str) -> [Row; 4] {
    let row = |line: &str| {
        let (kind, rest) = line.split_at(13);
        let is_bar = |sign: char| "./#".contains(sign);
        let begun = rest.find(is_bar).unwrap_or_else(|| panic!("no bar in {line:?}"));
        let bar: String = rest[begun..].chars().take_while(|&sign| is_bar(sign)).collect();
        assert_eq!(kind.contains("computes"), bar.starts_with('#'), "{line:?}");
        Row { begun, ended: begun + bar.len(), thread: rest[begun + bar.len()..].trim().to_owned() }
    };
    let rows: Vec<Row> = drawing.lines().take(4).map(row).collect();
    rows.try_into().unwrap_or_else(|rows| panic!("not four rows: {rows:?}"))
}

/// What a program draws on so many workers.
#[track_caller]
fn drawn(name: &str, workers: u32) -> [Row; 4] {
    let mut command = example(name);
    // However long it takes on a busy machine, a character is 25 ms.
    command.env("TOKIO_WORKER_THREADS", workers.to_string()).env("COLUMNS", "2000");
    let finished = run(&mut command, DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{name}");
    rows(&finished.stdout)
}

/// What the page shows below this command.
#[track_caller]
fn shown(command: &str) -> [Row; 4] {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let start = format!("```console\n$ {command}\n");
    let (_, below) = page.split_once(&start).unwrap_or_else(|| panic!("no {command} on the page"));
    rows(below)
}

fn is_in_turn([a, b, c, d]: &[Row; 4]) -> bool {
    a.is_before(b) && b.is_before(c) && c.is_before(d)
}

/// All that waits and computes in one place waits at the same time, computes in turn, and looks for its waits last.
fn is_in_one_place([a, b, c, d]: &[Row; 4]) -> bool {
    let waits_are_noticed_last = a.ends_with_or_after(d) && b.ends_with_or_after(d);
    let one_thread = [a, b, c].iter().all(|job| job.thread == d.thread);
    a.begun <= 1 && b.begun <= 1 && c.is_before(d) && waits_are_noticed_last && one_thread
}

fn computes_at_the_same_time([_, _, c, d]: &[Row; 4]) -> bool {
    !c.is_before(d) && !d.is_before(c) && c.thread != d.thread
}

/// No wait is noticed before a worker has computed to the end.
fn waits_for_a_worker(rows: &[Row; 4]) -> bool {
    let [a, b, c, d] = rows;
    let after_one = |wait: &Row| wait.ends_with_or_after(c) || wait.ends_with_or_after(d);
    computes_at_the_same_time(rows) && after_one(a) && after_one(b)
}

fn waits_for_nobody(rows: &[Row; 4]) -> bool {
    let [a, b, c, d] = rows;
    let in_time = |wait: &Row| wait.ended < c.ended && wait.ended < d.ended;
    let elsewhere = c.thread != a.thread && d.thread != a.thread;
    computes_at_the_same_time(rows) && in_time(a) && in_time(b) && elsewhere
}

#[test]
fn one_task_does_in_turn_what_is_awaited_in_turn() {
    let rows = drawn("jobs_in_turn", 2);
    assert!(is_in_turn(&rows), "{rows:#?}");
    assert!(is_in_turn(&shown("cargo run --example jobs_in_turn")));
}

/// Whoever's machine is busy gets a longer time, and whoever's terminal is narrow the same drawing.
#[test]
fn a_drawing_is_no_wider_than_the_terminal() {
    let mut command = example("jobs_in_turn");
    let finished = run(command.env("COLUMNS", "40"), DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let widest = finished.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 40), "{}", finished.stdout);
    assert!(!finished.stdout.contains("one character for 25 ms"), "{}", finished.stdout);
}

#[test]
fn join_waits_at_the_same_time_and_computes_in_turn() {
    let rows = drawn("jobs_joined", 2);
    assert!(is_in_one_place(&rows) && rows[0].thread == "main", "{rows:#?}");
    assert!(is_in_one_place(&shown("cargo run --example jobs_joined")));
}

#[test]
fn tasks_on_one_worker_are_no_faster_than_one_task() {
    let rows = drawn("jobs_spawned", 1);
    assert!(is_in_one_place(&rows) && rows[0].thread == "thread 1", "{rows:#?}");
    assert!(is_in_one_place(&shown("TOKIO_WORKER_THREADS=1 cargo run --example jobs_spawned")));
}

/// On a machine that stalls, a worker may begin when the other has ended.
#[test]
fn two_workers_compute_at_the_same_time_and_no_worker_looks_at_the_clock() {
    let comes_out = (0..5).any(|_| waits_for_a_worker(&drawn("jobs_spawned", 2)));
    assert!(comes_out, "one worker computed after the other, or a wait was noticed before");
    assert!(waits_for_a_worker(&shown("TOKIO_WORKER_THREADS=2 cargo run --example jobs_spawned")));
}

#[test]
fn what_computes_elsewhere_keeps_no_wait() {
    let comes_out = (0..5).any(|_| waits_for_nobody(&drawn("jobs_moved", 1)));
    assert!(comes_out, "one job computed after the other, or a wait was late");
    assert!(waits_for_nobody(&shown("TOKIO_WORKER_THREADS=1 cargo run --example jobs_moved")));
}

/// What a program prints, which its page shows as it is. On a machine that stalls, what waits for a tenth of a second may
/// be overtaken by what waits longer.
#[track_caller]
fn lines(name: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let mut block = String::new();
    for _ in 0..5 {
        let finished = run(&mut example(name), DEADLINE);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{name}");
        block = format!("```console\n$ cargo run --example {name}\n{}```\n", finished.stdout);
        if page.contains(&block) {
            return finished.stdout.lines().map(str::to_owned).collect();
        }
    }
    panic!("the page does not show this:\n{block}");
}

#[test]
fn only_a_task_that_nobody_waits_for_outlives_its_function() {
    let lines = lines("children");
    let place = |line: &str, from: usize| {
        from + lines[from..].iter().position(|it| it == line).expect("it is printed")
    };
    let over = "  over: connection refused";
    let closed = "  its question is closed";
    let handles = place("two handles", 0);
    assert!(place(over, handles) < place("  the far database answers", handles));
    for part in ["a set", "one task"] {
        assert!(place(closed, place(part, 0)) < place(over, place(part, 0)), "{part}");
    }
    assert_eq!(lines.iter().filter(|line| line.contains("answers")).count(), 1);
}

#[test]
fn a_few_questions_at_a_time_are_open() {
    for line in lines("few_at_a_time") {
        assert!(line.ends_with(": 10 answers, at most 3 questions open"), "{line}");
    }
}

#[test]
fn what_may_not_leave_its_thread_is_counted_there() {
    assert_eq!(lines("one_thread_only"), ["3 answers"]);
}

#[test]
fn a_future_is_polled_on_while_a_clock_is_looked_at() {
    assert_eq!(lines("still_waiting"), ["still waiting", "still waiting", "the answer"]);
}
