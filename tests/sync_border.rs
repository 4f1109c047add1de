//! The page on the border between async code and the rest: what panics, what stands still, what works, and how many
//! threads each way takes.

use std::fs;

use ladder_tests::Finished;
use ladder_tests::{DEADLINE, example, root, run};

#[track_caller]
fn finished(name: &str, args: &[&str]) -> Finished {
    let finished = run(example(name).args(args), DEADLINE);
    assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
    finished
}

#[test]
fn a_runtime_within_a_runtime_panics() {
    let finished = finished("border_panics", &[]);
    assert_eq!(finished.stdout, "no total: is_panic() is true\n");
    assert!(finished.stderr.contains("Cannot start a runtime from within a runtime"));
}

/// The prices need a timer, and the only worker that could look at it waits for the prices.
#[test]
fn a_block_on_that_does_not_panic_stands_still_on_one_worker() {
    let one = finished("border_hangs", &["1"]).stdout;
    assert_eq!(one, "workers: 1, and after a second no total\n");
    let four = finished("border_hangs", &["4"]).stdout;
    assert_eq!(four, "workers: 4, the total is 60\n");
}

#[test]
fn three_ways_lead_across_the_border() {
    for name in ["border_spawn_blocking", "border_in_place"] {
        assert_eq!(finished(name, &[]).stdout, "the total is 60\n", "{name}");
    }
    let said = finished("border_thread", &[]).stdout;
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["from a task: 60", "from a thread: 60", "from a thread: 90"]);
    let said = finished("border_block_on", &[]).stdout;
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[1, 2, 3]: 60", "[4, 5]: 90"]);
}

/// Threads are counted; the times are shown and not tested.
#[test]
fn each_way_begins_so_many_threads() {
    let page = fs::read_to_string(root().join("book/where-async-ends.md")).expect("it is there");
    let printed = finished("border_count", &[]).stdout;
    let counts = [32, 4, 0, 0];
    for (line, count) in printed.lines().zip(counts) {
        let (known, _time) = line.rsplit_once(", ").expect("a count and a time");
        assert!(known.ends_with(&format!(": {count} threads")), "{line}");
        assert!(page.contains(&format!("\n{known}, ")), "the page doesn't show {known}");
    }
    assert_eq!(printed.lines().count(), counts.len());
}
