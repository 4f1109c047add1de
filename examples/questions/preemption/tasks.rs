//! Greedy tasks and polite tasks on one worker thread, or on several.

use std::sync::Arc;
use std::time::Instant;
use std::{io, thread};

use tokio::runtime::Builder;
use tokio::task::yield_now;

use crate::watch::{NAP, POLITE, Watch};

/// This many greedy tasks on this many workers.
pub fn run(watch: Arc<Watch>, greedy: usize, workers: usize, yields: bool) -> io::Result<()> {
    let runtime = Builder::new_multi_thread().worker_threads(workers).enable_time().build()?;
    let mut spawned = Vec::new();
    for _ in 0..POLITE {
        let watch = Arc::clone(&watch);
        spawned.push(runtime.spawn(async move {
            loop {
                let slept_at = Instant::now();
                tokio::time::sleep(NAP).await;
                if !watch.woke(slept_at, greedy) {
                    break;
                }
            }
        }));
    }
    // The polite tasks have begun.
    thread::sleep(2 * NAP);
    for _ in 0..greedy {
        let watch = Arc::clone(&watch);
        spawned.push(runtime.spawn(async move {
            let (start, before) = watch.begin();
            while watch.step(start) {
                if yields {
                    // Goes to the end of the queue, and lets the worker look at its timers.
                    yield_now().await;
                }
            }
            watch.end(before);
        }));
    }
    for task in spawned {
        runtime.block_on(task).expect("it does not panic");
    }
    Ok(())
}
