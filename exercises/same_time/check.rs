//! Times that are made up: no check waits for them.

use std::time::{Duration, Instant};

use ex_same_time::Timers;
use exercise_kit::check;

exercise_kit::checks![
    the_earliest_is_the_limit_of_the_sleep,
    those_who_are_due_are_taken_out_in_order,
    several_are_due_at_the_same_time,
    one_wait_is_taken_back,
    one_task_waits_twice,
];

fn after(start: Instant, ms: u64) -> Instant {
    start + Duration::from_millis(ms)
}

fn the_earliest_is_the_limit_of_the_sleep() {
    let mut timers = Timers::default();
    let now = Instant::now();
    check(timers.wait(now).is_none(), "`wait` gave a limit, although no task waits", "None");
    timers.set(after(now, 30), 1);
    timers.set(after(now, 10), 2);
    timers.set(after(now, 20), 3);
    let wait = timers.wait(now);
    check(
        wait == Some(Duration::from_millis(10)),
        format_args!("`wait` returned {wait:?}"),
        "10 ms, until the earliest of all",
    );
    let wait = timers.wait(after(now, 15));
    check(
        wait == Some(Duration::ZERO),
        format_args!("`wait` returned {wait:?}"),
        "no time: a task is due",
    );
}

fn those_who_are_due_are_taken_out_in_order() {
    let mut timers = Timers::default();
    let now = Instant::now();
    for (ms, task) in [(30, 1), (10, 2), (20, 3)] {
        timers.set(after(now, ms), task);
    }
    for (ms, expected) in [(5, &[][..]), (20, &[2, 3]), (20, &[]), (40, &[1]), (50, &[])] {
        let due = timers.take_due(after(now, ms));
        check(
            due == expected,
            format_args!("after {ms} ms {due:?} were due"),
            format_args!("{expected:?}"),
        );
    }
}

fn several_are_due_at_the_same_time() {
    let mut timers = Timers::default();
    let now = Instant::now();
    for task in 1..=5 {
        timers.set(after(now, 10), task);
    }
    let due = timers.take_due(after(now, 10));
    check(
        due == [1, 2, 3, 4, 5],
        format_args!("five tasks waited for one time, and {due:?} were due"),
        "all five; look at what the map does with a second task for the same time",
    );
}

fn one_wait_is_taken_back() {
    let mut timers = Timers::default();
    let now = Instant::now();
    let first = timers.set(after(now, 10), 1);
    timers.set(after(now, 10), 2);
    timers.unset(first);
    let due = timers.take_due(after(now, 10));
    check(due == [2], format_args!("one of two waits was taken back, and {due:?} were due"), "[2]");
    // It is over already: nothing to take back.
    timers.unset(first);
    timers.set(after(now, 10), 3);
    timers.unset(first);
    let due = timers.take_due(after(now, 10));
    check(
        due == [3],
        format_args!("the name of a wait that was over was taken back, and {due:?} were due"),
        "[3]",
    );
    let early = timers.set(after(now, 10), 4);
    timers.set(after(now, 30), 5);
    timers.unset(early);
    let wait = timers.wait(now);
    let seen = format!("the wait for 10 ms was taken back, and `wait` returned {wait:?}");
    check(
        wait == Some(Duration::from_millis(30)),
        seen,
        "30 ms: the reactor sleeps until the next",
    );
}

fn one_task_waits_twice() {
    let mut timers = Timers::default();
    let now = Instant::now();
    let first = timers.set(after(now, 10), 7);
    timers.set(after(now, 10), 7);
    timers.unset(first);
    let due = timers.take_due(after(now, 10));
    check(
        due == [7],
        format_args!(
            "one task waited twice for one time and took one wait back, and {due:?} were due"
        ),
        "[7]",
    );
}
