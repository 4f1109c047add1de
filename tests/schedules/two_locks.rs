//! Two threads take two locks, in opposite orders or in one.

use std::sync::Arc;

use super::{Level, Version, Work, board::Mutex};

pub static LEVEL: Level = Level {
    name: "two-locks",
    title: "Stop both threads",
    goal: "Thread A moves a hit from page 0 to page 1, and B moves one back. Let them take turns so that neither can go on.",
    fails: "Neither thread can take a step.",
    well: "Both hits are moved.",
    threads: ["A", "B"],
    wanted: None,
    file: "tests/schedules/two_locks.rs",
    versions: [
        Version { start: || start([forth, back]), lines: [&["forth"], &["back"]] },
        Version {
            start: || start([forth, back_in_order]),
            lines: [&["forth"], &["back-in-order"]],
        },
    ],
};

/// The hits of a page.
type Page = Mutex<u32>;

fn start(moves: [fn(&Page, &Page); 2]) -> [Work; 2] {
    let page = |lock| Arc::new(Mutex::new(lock, 10, |_| Vec::new()));
    let page_0 = page("the lock of page 0");
    let page_1 = page("the lock of page 1");
    moves.map(|moves| -> Work {
        let page_0 = Arc::clone(&page_0);
        let page_1 = Arc::clone(&page_1);
        Box::new(move || moves(&page_0, &page_1))
    })
}

fn forth(page_0: &Page, page_1: &Page) {
    // ANCHOR: forth
    let mut from = page_0.lock().unwrap();
    let mut to = page_1.lock().unwrap();
    *from -= 1;
    *to += 1;
    // ANCHOR_END: forth
}

fn back(page_0: &Page, page_1: &Page) {
    // ANCHOR: back
    let mut from = page_1.lock().unwrap();
    let mut to = page_0.lock().unwrap();
    *from -= 1;
    *to += 1;
    // ANCHOR_END: back
}

fn back_in_order(page_0: &Page, page_1: &Page) {
    // ANCHOR: back-in-order
    let mut to = page_0.lock().unwrap();
    let mut from = page_1.lock().unwrap();
    *from -= 1;
    *to += 1;
    // ANCHOR_END: back-in-order
}
