//! What can be measured of a machine, whatever it says.

use std::thread;
use std::time::{Duration, Instant};

use experiment::{pin_this_thread, pins};

/// How often this thread does the work of a small `/work` in the time.
fn compute(cpu: Option<usize>, time: Duration) -> f64 {
    if let Some(cpu) = cpu {
        pin_this_thread(cpu);
    }
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed() < time {
        drop(site::compute(10));
        done += 1;
    }
    f64::from(done) / start.elapsed().as_secs_f64()
}

/// How much threads on these CPUs (`None`: wherever the system puts it) do in total, as a
/// multiple of what the first does alone.
pub fn together(cpus: &[Option<usize>], time: Duration) -> f64 {
    let run = |cpus: &[Option<usize>]| -> f64 {
        thread::scope(|scope| {
            let threads = cpus.iter().map(|cpu| scope.spawn(|| compute(*cpu, time)));
            let threads: Vec<_> = threads.collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).sum()
        })
    };
    // Alone before and after, because a processor's speed drifts.
    let before = run(&cpus[..1]);
    let all = run(cpus);
    let after = run(&cpus[..1]);
    all / ((before + after) / 2.0)
}

/// A thread that finds a gap in time which is longer than this has not had the CPU during that time.
const GAP: Duration = Duration::from_micros(100);

// ANCHOR: turns
/// The turns, in ms, that threads get which share the first CPU. `None` where none can be pinned.
pub fn turns(cpus: &[usize], threads: usize, time: Duration) -> Option<Vec<f64>> {
    let cpu = *cpus.first().filter(|_| pins())?;
    let start = Instant::now();
    let one = || {
        pin_this_thread(cpu);
        let mut turns = Vec::new();
        let mut began = Instant::now();
        let mut last = began;
        while start.elapsed() < time {
            let now = Instant::now();
            if now - last > GAP {
                // Another thread had the CPU in between.
                turns.push((last - began).as_secs_f64() * 1e3);
                began = now;
            }
            last = now;
        }
        turns
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let turns = threads.into_iter().map(|thread| thread.join().expect("it does not panic"));
        Some(turns.flatten().collect())
    })
}
// ANCHOR_END: turns
