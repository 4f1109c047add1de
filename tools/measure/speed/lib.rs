//! Measures how fast a processor is at the moment, by timing a fixed piece of arithmetic.
//!
//! A counter of cycles would say it better, but few virtual machines have one. What is timed takes some milliseconds,
//! and the median of its slices is given, so that an interruption of one slice changes nothing.

use std::{hint::black_box, thread, time::Instant};

use records::stats::{median, to_millionths};

/// The number of slices that are timed.
const SLICES: usize = 15;

/// The number of steps in a slice.
const STEPS: u32 = 100_000;

/// Times a step, in nanoseconds, on the first processor of a list in the form of `taskset`; without a list on any.
pub fn step_ns(cpus: Option<&str>) -> f64 {
    let first = cpus.and_then(|list| list.split([',', '-']).next()?.parse().ok());
    // A thread of its own is bound, and our others stay where they may be.
    let timed = thread::spawn(move || {
        bind(first);
        let times: Vec<f64> = std::iter::repeat_with(slice_ns).take(SLICES).collect();
        to_millionths(median(&times).unwrap_or_default())
    });
    timed.join().expect("it only computes")
}

/// Times one slice, and returns nanoseconds per step.
fn slice_ns() -> f64 {
    let first = black_box(1_u64);
    let began = Instant::now();
    let last = chain(first);
    let took = began.elapsed();
    black_box(last);
    took.as_secs_f64() * 1e9 / f64::from(STEPS)
}

/// A chain in which each step waits for the one before: a shift, an exclusive or, a multiplication; five cycles on
/// today's processors. A compiler may unroll it and gains nothing, because no two steps can be made into one: a
/// multiplication doesn't distribute over the shift. Only without optimization would it be slow, so the workspace's
/// `Cargo.toml` has this package optimised in every build.
#[inline(never)]
fn chain(first: u64) -> u64 {
    let mut value = first;
    for _ in 0..STEPS {
        value = (value ^ (value >> 31)).wrapping_mul(0x5851_F42D_4C95_7F2D);
    }
    value
}

/// Binds this thread to a processor, where the system can do that.
fn bind(cpu: Option<usize>) {
    #[cfg(target_os = "linux")]
    if let Some(cpu) = cpu {
        use nix::{
            sched::{CpuSet, sched_setaffinity},
            unistd::Pid,
        };
        let mut set = CpuSet::new();
        let _ = set.set(cpu).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = cpu;
}
