//! Many at the same time: as threads, and as tasks.

use std::thread;
use std::time::{Duration, Instant};

use experiment::{fail, hardware_threads};
use tokio::runtime::Builder;

use crate::burst::compute_for;

/// As many rounds as `/work` computes, and as long as `/sleep` waits, unless an option says otherwise.
const ROUNDS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// How long mixed work waits before it computes, and for how long it computes then.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
const BURST: Duration = Duration::from_millis(2);

// ANCHOR: models
/// What one of many does over and over.
#[derive(Clone, Copy)]
pub enum Work {
    /// As `/work` does.
    Compute,
    /// As `/sleep` does.
    Wait,
    /// First wait for 20 ms, then compute for 2.
    Mixed,
}

/// Spawns `count` threads, and counts how often each did its work before the time was over.
pub fn threads(count: usize, work: Work, time: Duration) -> Vec<usize> {
    let start = Instant::now();
    let one = move || {
        let mut done = 0;
        while start.elapsed() < time {
            match work {
                Work::Compute => drop(site::compute(ROUNDS)),
                Work::Wait => thread::sleep(PAUSE),
                Work::Mixed => {
                    thread::sleep(SHORT_PAUSE);
                    compute_for(BURST);
                }
            }
            done += 1;
        }
        done
    };
    let spawned = (0..count).map(|_| thread::Builder::new().spawn(one));
    let spawned: Vec<_> = spawned.map(|thread| or_fail("a thread", thread)).collect();
    spawned.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
}

/// The same with tasks, on as many worker threads as there are hardware threads.
pub fn tasks(count: usize, work: Work, time: Duration) -> Vec<usize> {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(hardware_threads()).enable_time().build();
    let runtime = or_fail("a runtime", runtime);
    let start = Instant::now();
    let one = move || async move {
        let mut done = 0;
        while start.elapsed() < time {
            match work {
                Work::Compute => {
                    drop(site::compute(ROUNDS));
                    // Without this, the first tasks to compute would let no other task begin.
                    tokio::task::yield_now().await;
                }
                Work::Wait => tokio::time::sleep(PAUSE).await,
                Work::Mixed => {
                    tokio::time::sleep(SHORT_PAUSE).await;
                    compute_for(BURST);
                }
            }
            done += 1;
        }
        done
    };
    let spawned: Vec<_> = (0..count).map(|_| runtime.spawn(one())).collect();
    spawned.into_iter().map(|task| runtime.block_on(task).expect("it does not panic")).collect()
}
// ANCHOR_END: models

fn or_fail<T>(what: &str, made: std::io::Result<T>) -> T {
    made.unwrap_or_else(|error| fail("compute_or_wait", format!("cannot make {what}: {error}")))
}
