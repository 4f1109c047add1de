//! A lock made of one flag: `cargo run -p doors --example door_lock`
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::{hint, thread};

static LOCKED: AtomicBool = AtomicBool::new(false);
static VISITS: AtomicU32 = AtomicU32::new(0);

// ANCHOR: visit
fn visit() {
    // Acquire: nothing below is done before the flag was free.
    while LOCKED.swap(true, Ordering::Acquire) {
        hint::spin_loop();
    }
    // Two steps, which without the lock would lose visits.
    let visits = VISITS.load(Ordering::Relaxed);
    VISITS.store(visits + 1, Ordering::Relaxed);
    // Release: all above is done when the next thread finds the flag free.
    LOCKED.store(false, Ordering::Release);
}
// ANCHOR_END: visit

fn main() {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| visit()));
        }
    });
    println!("{}", VISITS.load(Ordering::Relaxed));
}
