//! A greedy thread and polite threads, all on one hardware thread.

use std::sync::Arc;
use std::time::Instant;
use std::{io, thread};

use experiment::{cpus, pin_this_thread};

use crate::watch::{NAP, POLITE, Watch};

/// Where a system pins no threads, they spread over all hardware threads, and hardly meet.
pub fn run(watch: Arc<Watch>) -> io::Result<()> {
    let cpu = cpus().first().copied();
    let settle = move || cpu.is_some_and(pin_this_thread);
    let mut spawned = Vec::new();
    for _ in 0..POLITE {
        let watch = Arc::clone(&watch);
        spawned.push(thread::Builder::new().spawn(move || {
            settle();
            loop {
                let slept_at = Instant::now();
                thread::sleep(NAP);
                if !watch.woke(slept_at, 1) {
                    break;
                }
            }
        })?);
    }
    // The polite ones have begun.
    thread::sleep(2 * NAP);
    spawned.push(thread::Builder::new().spawn(move || {
        settle();
        let (start, before) = watch.begin();
        while watch.step(start) {}
        watch.end(before);
    })?);
    for thread in spawned {
        thread.join().expect("it does not panic");
    }
    Ok(())
}
