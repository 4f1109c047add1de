//! How long computing takes on this machine, and how much is computed in a given time.

use std::time::{Duration, Instant};

/// As many rounds are tried.
const TRY: u32 = 500;

/// Returns how many rounds of `/work` take so long when nothing else needs the CPU.
pub fn rounds_in(time: Duration) -> u32 {
    let quickest = quickest(TRY).max(Duration::from_nanos(1));
    let rounds = f64::from(TRY) * time.as_secs_f64() / quickest.as_secs_f64();
    (rounds as u32).max(1)
}

/// Returns how long so many rounds of `/work` take: the quickest of ten tries, because others use the CPU meanwhile.
pub fn quickest(rounds: u32) -> Duration {
    let try_once = |_| {
        let start = Instant::now();
        drop(site::compute(rounds));
        start.elapsed()
    };
    (0..10).map(try_once).min().expect("there are ten")
}
