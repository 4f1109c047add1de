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

/// The prices need a timer, and the only worker that could look at it waits for the prices. A socket's event wakes one of
/// four workers, which is the one that waits then.
#[test]
fn a_block_on_that_does_not_panic_stands_still_on_one_worker() {
    let one = finished("border_hangs", &["1"]).stdout;
    assert_eq!(one, "workers: 1: after a second no total\n");
    let four = finished("border_hangs", &["4"]).stdout;
    assert_eq!(four, "workers: 4: the total is 60\n");
    let by_a_socket = finished("border_hangs", &["4", "socket"]).stdout;
    let still = "workers: 4, and a socket starts the task: after a second no total\n";
    assert_eq!(by_a_socket, still);
}

/// What stands below a command of the page.
#[track_caller]
fn shown(command: &str) -> String {
    let page = fs::read_to_string(root().join("book/where-async-ends.md")).expect("it is there");
    let below = page.split_once(&format!("$ cargo run --example {command}\n"));
    let (_, below) = below.unwrap_or_else(|| panic!("the page doesn't run {command}"));
    below.split("```").next().unwrap_or_default().to_owned()
}

/// Those who wait in the pool's threads wait for one more thread.
#[test]
fn calls_that_wait_for_the_pool_can_fill_it() {
    let printed = finished("border_full_pool", &[]).stdout;
    assert!(printed.contains(" 1, all end\n"), "{printed}");
    assert!(printed.contains(" 2, after a second none has ended\n"), "{printed}");
    assert_eq!(shown("border_full_pool"), printed);
}

/// In each place: is a runtime known, and which calls may block?
#[test]
fn a_runtime_that_is_known_says_nothing_of_who_may_block() {
    let printed = finished("border_places", &[]).stdout;
    let outcomes = |place: &str| -> Vec<String> {
        let line = printed.lines().find(|line| line.split("  ").next() == Some(place));
        let line = line.unwrap_or_else(|| panic!("no {place} in\n{printed}"));
        line[36..].split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(outcomes("a thread"), ["Err", "returns", "returns"]);
    assert_eq!(outcomes("the blocking pool"), ["Ok", "returns", "returns"]);
    for place in ["the main thread in `block_on`", "a task", "a task, and one worker"] {
        assert_eq!(outcomes(place), ["Ok", "panics", "returns"], "{place}");
    }
    for place in ["a task on `current_thread`", "a task in a `LocalSet`"] {
        assert_eq!(outcomes(place), ["Ok", "panics", "panics"], "{place}");
    }
    assert_eq!(shown("border_places"), printed);
}

/// A reader who searches for the text of a panic finds it in the page's table.
#[test]
fn the_page_has_the_text_of_each_panic() {
    let page = fs::read_to_string(root().join("book/where-async-ends.md")).expect("it is there");
    let printed = finished("border_panic_texts", &[]).stdout;
    let texts = printed.lines().filter_map(|line| line.strip_prefix("  "));
    let sentences: Vec<&str> = texts.filter_map(|text| text.split(". ").next()).collect();
    assert_eq!(sentences.len(), 5, "{printed}");
    for sentence in sentences {
        let row = format!("\n| `{}` | ", sentence.trim_end_matches('.'));
        assert!(page.contains(&row), "the page doesn't have {row}");
    }
}

#[test]
fn three_ways_lead_across_the_border() {
    for name in ["border_spawn_blocking", "border_handle"] {
        assert_eq!(finished(name, &[]).stdout, "the total is 60\n", "{name}");
    }
    // The same function, for both.
    let said = finished("border_in_place", &[]).stdout;
    assert_eq!(said, "from a thread: 60\nfrom a task: 60\n");
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

/// Sleeps are counted; the times are shown and not tested.
#[test]
fn one_thread_talks_to_itself_without_a_sleep() {
    let printed = finished("border_wakes", &[]).stdout;
    let sleeps: Vec<u64> = printed
        .lines()
        .filter_map(|line| line.split_once(": ")?.1.split(' ').next()?.parse().ok())
        .collect();
    let [from_main, from_a_task, on_one_thread] = sleeps[..] else { panic!("{printed}") };
    // On a busy machine the next question may be there before the worker sleeps.
    assert!(from_main > 100, "{printed}");
    assert!(10 * on_one_thread < from_a_task.min(from_main), "{printed}");
}
