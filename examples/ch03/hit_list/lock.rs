//! A list behind a lock, and two locks where one is needed.

use std::collections::BTreeMap;
use std::sync::{Barrier, Mutex};
use std::thread;

// ANCHOR: lock
/// How often each page was asked for.
type Hits = Mutex<BTreeMap<&'static str, u32>>;

/// One visit. The guard that `lock` returns is dropped at the end of the statement, and with it
/// the lock is free.
fn visit(hits: &Hits, page: &'static str) {
    *hits.lock().expect("no thread panics with it").entry(page).or_default() += 1;
}
// ANCHOR_END: lock

// ANCHOR: two_steps
/// Wrong: between the two statements the lock is free, so another thread can read the same number.
fn visit_in_two_steps(hits: &Mutex<u32>, other_thread: &Barrier) {
    let seen = *hits.lock().expect("no thread panics with it");
    // Makes it happen each time: neither thread continues before both have read.
    other_thread.wait();
    *hits.lock().expect("no thread panics with it") = seen + 1;
}
// ANCHOR_END: two_steps

/// Says what was counted, with the lock held once for each visit and with it held twice.
pub fn run() {
    let hits = Hits::default();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    visit(&hits, "/");
                }
            });
        }
    });
    let hits = hits.into_inner().expect("no thread has panicked");
    println!("lock: 8 threads with 1000 visits each, counted: {hits:?}");

    let hits = Mutex::new(0);
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| visit_in_two_steps(&hits, &barrier));
        }
    });
    let hits = hits.into_inner().expect("no thread has panicked");
    println!("lock: 2 visits that lock, read, lock and write, counted: {hits}");
}
