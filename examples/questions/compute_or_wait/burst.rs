//! Computing for a given time.

use std::time::{Duration, Instant};

use experiment::cpu_time_of_this_thread;

/// So many rounds of `/work` are computed between two looks at the clock: a few microseconds.
const STEP: u32 = 20;

/// Computes as `/work` does until this thread has used so much CPU time. A number of rounds would not do: a CPU that
/// others share, or that gets warm, computes the same rounds now faster and now slower.
///
/// Where the system doesn't tell a thread's CPU time, it computes for so long by the clock.
pub fn compute_for(time: Duration) {
    let began = Instant::now();
    let cpu_before = cpu_time_of_this_thread();
    let used = || match (cpu_before, cpu_time_of_this_thread()) {
        (Some(before), Some(now)) => now.saturating_sub(before),
        _ => began.elapsed(),
    };
    while used() < time {
        drop(site::compute(STEP));
    }
}
