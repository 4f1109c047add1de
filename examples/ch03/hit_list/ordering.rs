//! What a thread may rely on when it has read an atomic.

use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread;

// ANCHOR: relaxed
/// One visit. `Relaxed` is enough: no two additions become one, whatever the ordering, and no
/// thread reads anything else because of this number.
fn visit(hits: &AtomicU32) {
    hits.fetch_add(1, Relaxed);
}
// ANCHOR_END: relaxed

// ANCHOR: publish
/// A number, and a flag that says that the number is there.
#[derive(Default)]
struct Report {
    sum: AtomicU32,
    is_there: AtomicBool,
}

impl Report {
    /// `Release`: a thread that sees the flag also sees what was written before it.
    fn publish(&self, sum: u32) {
        self.sum.store(sum, Relaxed);
        self.is_there.store(true, Release);
    }

    /// `Acquire` is the other half: a thread that has seen the flag sees all that was written before
    /// the `Release`.
    fn wait(&self) -> u32 {
        while !self.is_there.load(Acquire) {
            thread::yield_now();
        }
        self.sum.load(Relaxed)
    }
}
// ANCHOR_END: publish

/// Says what was counted, and what another thread has seen of it.
pub fn run() {
    let hits = AtomicU32::new(0);
    let report = Report::default();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    visit(&hits);
                }
            });
        }
    });
    thread::scope(|scope| {
        let reader = scope.spawn(|| report.wait());
        report.publish(hits.load(Relaxed));
        let seen = reader.join().expect("it does not panic");
        println!("ordering: 8 threads with 1000 visits each, published: {seen}");
    });
}
