//! Two locks, and two threads that take them in opposite orders.

use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread;
use std::time::Duration;

/// Long enough for the other thread to take its first lock.
const PAUSE: Duration = Duration::from_millis(50);

/// Nothing here takes this long by itself.
const LIMIT: Duration = Duration::from_secs(2);

// ANCHOR: pages
/// A page with its hits behind its own lock.
struct Page {
    number: usize,
    hits: Mutex<u32>,
}

/// Takes a page's lock and pauses, so that the threads meet each time.
fn lock(page: &Page) -> MutexGuard<'_, u32> {
    let hits = page.hits.lock().expect("no thread panics with it");
    thread::sleep(PAUSE);
    hits
}
// ANCHOR_END: pages

// ANCHOR: orders
/// Wrong: which lock comes first depends on the caller.
fn move_hit(from: &Page, to: &Page) {
    let mut from = lock(from);
    let mut to = lock(to);
    *from -= 1;
    *to += 1;
}

/// The page with the smaller number comes first, whichever way the hit goes.
fn move_hit_in_order(from: &Page, to: &Page) {
    let (mut from, mut to) = if from.number < to.number {
        let from = lock(from);
        (from, lock(to))
    } else {
        let to = lock(to);
        (lock(from), to)
    };
    *from -= 1;
    *to += 1;
}
// ANCHOR_END: orders

/// Moves a hit from page 0 to page 1 in one thread and back in another: do both threads end?
fn do_both_end(move_hit: fn(&Page, &Page)) -> bool {
    let pages = Arc::new([0, 1].map(|number| Page { number, hits: Mutex::new(10) }));
    let (done, ended) = mpsc::channel();
    for (from, to) in [(0, 1), (1, 0)] {
        let pages = Arc::clone(&pages);
        let done = done.clone();
        // Detached, because a thread in a deadlock can't be joined. It ends with the process.
        thread::spawn(move || {
            move_hit(&pages[from], &pages[to]);
            done.send(())
        });
    }
    (0..2).all(|_| ended.recv_timeout(LIMIT).is_ok())
}

/// Says with what order of the locks the threads end.
pub fn run() {
    let end = |ends| if ends { "both threads end" } else { "neither thread ends" };
    println!("deadlock: opposite orders: {}", end(do_both_end(move_hit)));
    println!("deadlock: one order for all: {}", end(do_both_end(move_hit_in_order)));
}
