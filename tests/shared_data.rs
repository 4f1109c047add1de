//! What the page on shared data claims, by counting what its program counts.

use std::fs;

use ladder_tests::{DEADLINE, example, root, run};

/// What one part of the program prints, each line without the part's name.
fn lines(part: &str) -> Vec<String> {
    let finished = run(example("hit_list").arg(part), DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{part}");
    let start = format!("{part}: ");
    let said = |line: &str| line.strip_prefix(&start).expect("its own part alone").to_owned();
    finished.stdout.lines().map(said).collect()
}

/// What the program with the same lock in tasks prints.
fn lines_of_tokio_lock() -> Vec<String> {
    let finished = run(&mut example("tokio_lock"), DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    finished.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_lock_loses_no_visit_and_two_locks_lose_one() {
    let counted = [
        "8 threads with 1000 visits each, counted: {\"/\": 8000}",
        "2 visits that lock, read, lock and write, counted: 1",
    ];
    assert_eq!(lines("lock"), counted);
}

#[test]
fn a_lock_that_is_held_lets_one_wait_at_a_time() {
    let lines = lines("held");
    let [held, free] = lines.as_slice() else { panic!("{lines:?}") };
    let most = "the most that waited at the same time";
    assert_eq!(*held, format!("with the lock held, {most}: 1 of 8"));
    // On a machine that stalls some may be late.
    let free = free.strip_prefix(&format!("with the lock free, {most}: ")).expect("a number");
    let (count, _) = free.split_once(" of 8").expect("of eight");
    assert!(count.parse::<usize>().expect("a number") > 1, "{free}");
}

#[test]
fn opposite_orders_end_in_a_deadlock_and_one_order_does_not() {
    let found = ["opposite orders: neither thread ends", "one order for all: both threads end"];
    // On a machine that stalls, the first thread may have both locks before the second has one.
    assert!((0..5).any(|_| lines("deadlock") == found), "in five tries there was no deadlock");
}

#[test]
fn a_published_sum_is_whole() {
    assert_eq!(lines("ordering"), ["8 threads with 1000 visits each, published: 8000"]);
}

#[test]
fn an_owner_loses_no_visit() {
    assert_eq!(lines("owner"), ["8 threads with 1000 visits each, counted: {\"/\": 8000}"]);
}

#[test]
fn one_thread_and_one_lock_are_enough_for_a_deadlock() {
    let found = [
        "a lock of std, held across an await: neither task ends",
        "a lock of std, free before the await: both tasks end",
        "an async lock, held across an await: both tasks end",
    ];
    assert_eq!(lines_of_tokio_lock(), found);
}

/// How many wait with the lock free is not the same on each machine.
#[test]
fn the_pages_show_what_is_printed() {
    for part in ["lock", "deadlock"] {
        for line in lines(part) {
            is_shown(&format!("{part}: {line}"), "shared-data");
        }
    }
    for line in lines_of_tokio_lock() {
        is_shown(&line, "ch06-tokio");
    }
}

#[track_caller]
fn is_shown(line: &str, page: &str) {
    let text = fs::read_to_string(root().join(format!("book/{page}.md")));
    let text = text.expect("the page is there");
    assert!(text.contains(&format!("\n{line}\n")), "{page} does not show {line:?}");
}

#[test]
fn all_parts_run_by_default_and_an_unknown_part_is_refused() {
    let all = run(&mut example("hit_list"), DEADLINE);
    assert_eq!((all.code, all.stdout.lines().count()), (Some(0), 8), "{}", all.stdout);
    let refused = run(example("hit_list").arg("locks"), DEADLINE);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.starts_with("Usage: hit_list "), "{}", refused.stderr);
}
