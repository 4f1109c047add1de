//! Two threads count a visit each, in two steps or under one lock.

use std::sync::Arc;

use super::{
    Level, Version, Work,
    board::{Mutex, keep},
};

pub static LEVEL: Level = Level {
    name: "lost-count",
    title: "Lose a visit",
    goal: "Threads A and B each count one visit. Let them take turns so that only one of the two visits is counted.",
    fails: "Two visits, but hits is 1: one of them is lost.",
    well: "Both visits are counted.",
    threads: ["A", "B"],
    wanted: Some(("hits", "2")),
    file: "tests/schedules/lost_count.rs",
    versions: [
        Version { start: || start(in_two_steps), lines: [&["two-steps"]; 2] },
        Version { start: || start(under_one_lock), lines: [&["one-lock"]; 2] },
    ],
};

fn start(visit: fn(&Mutex<u32>)) -> [Work; 2] {
    let hits = Arc::new(Mutex::new("the lock", 0_u32, |hits| vec![("hits", hits.to_string())]));
    [0, 1].map(|_| -> Work {
        let hits = Arc::clone(&hits);
        Box::new(move || visit(&hits))
    })
}

fn in_two_steps(hits: &Mutex<u32>) {
    // ANCHOR: two-steps
    let seen = *hits.lock().unwrap();
    keep("seen", seen);
    *hits.lock().unwrap() = seen + 1;
    // ANCHOR_END: two-steps
}

fn under_one_lock(hits: &Mutex<u32>) {
    // ANCHOR: one-lock
    let mut hits = hits.lock().unwrap();
    let seen = *hits;
    keep("seen", seen);
    *hits = seen + 1;
    // ANCHOR_END: one-lock
}
