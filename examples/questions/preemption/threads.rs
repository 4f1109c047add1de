//! A greedy thread for each hardware thread, and polite threads.

use std::sync::Arc;
use std::time::Instant;
use std::{io, thread};

use experiment::hardware_threads;

use crate::watch::{NAP, POLITE, Watch};

/// As many greedy threads as can run at the same time, so that the polite find no free place.
pub fn run(watch: Arc<Watch>) -> io::Result<()> {
    let greedy = hardware_threads();
    let mut spawned = Vec::new();
    for _ in 0..POLITE {
        let watch = Arc::clone(&watch);
        spawned.push(thread::Builder::new().spawn(move || {
            loop {
                let slept_at = Instant::now();
                thread::sleep(NAP);
                if !watch.woke(slept_at, greedy) {
                    break;
                }
            }
        })?);
    }
    // The polite ones have begun.
    thread::sleep(2 * NAP);
    for _ in 0..greedy {
        let watch = Arc::clone(&watch);
        spawned.push(thread::Builder::new().spawn(move || {
            let (start, before) = watch.begin();
            while watch.step(start) {}
            watch.end(before);
        })?);
    }
    for thread in spawned {
        thread.join().expect("it does not panic");
    }
    Ok(())
}
