//! A lock that is held during a wait, and one that isn't.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// How long each visit waits, as for a database.
const PAUSE: Duration = Duration::from_millis(50);

// ANCHOR: held
/// Wrong: the guard lives until the end of the function, so the others wait for its wait as well.
fn visit_and_hold(hits: &Mutex<u32>, wait: impl Fn()) {
    let mut hits = hits.lock().expect("no thread panics with it");
    *hits += 1;
    wait();
}

/// The guard is gone before the wait begins.
fn visit(hits: &Mutex<u32>, wait: impl Fn()) {
    *hits.lock().expect("no thread panics with it") += 1;
    wait();
}
// ANCHOR_END: held

/// How many of eight threads waited at the same time, at most.
fn most_at_once(visitor: impl Fn(&dyn Fn()) + Sync) -> usize {
    let inside = AtomicUsize::new(0);
    let most = AtomicUsize::new(0);
    let wait = || {
        let now = inside.fetch_add(1, Relaxed) + 1;
        most.fetch_max(now, Relaxed);
        thread::sleep(PAUSE);
        inside.fetch_sub(1, Relaxed);
    };
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| visitor(&wait));
        }
    });
    most.load(Relaxed)
}

/// Says how many waited at the same time in the two versions.
pub fn run() {
    let hits = Mutex::new(0);
    let most = most_at_once(|wait| visit_and_hold(&hits, wait));
    println!("held: with the lock held, the most that waited at the same time: {most} of 8");
    let most = most_at_once(|wait| visit(&hits, wait));
    println!("held: with the lock free, the most that waited at the same time: {most} of 8");
}
