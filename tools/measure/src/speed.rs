//! How fast a processor is at the moment: a fixed piece of arithmetic is timed on it.
//!
//! A counter of cycles would say it better, but few virtual machines have one. What is timed takes a millisecond or two,
//! and the medians of its slices are given, so that an interruption of one slice changes nothing.

use std::{hint::black_box, thread, time::Instant};

use records::stats::{finely, median};

/// How many slices are timed of each kind.
const SLICES: usize = 15;

/// How many steps a slice has.
const STEPS: u32 = 40_000;

/// How many sums are computed beside each other where that is measured.
const WIDE: usize = 8;

/// What a step takes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Each step waits for the one before: this follows the clock of the processor, and little else.
    pub chain_ns: f64,
    /// The steps don't wait for each other: this follows also who else uses the same core.
    pub wide_ns: f64,
}

/// Times a processor: the first of a list as `taskset` takes it, or where the system puts us.
pub fn speed(cpus: Option<&str>) -> Speed {
    let first = cpus.and_then(|list| list.split([',', '-']).next()?.parse().ok());
    // A thread of its own is bound, and our others stay where they may be.
    let timed = thread::spawn(move || {
        bind(first);
        let chain_ns = slices(|| chain::<1>(STEPS));
        let wide_ns = slices(|| chain::<WIDE>(STEPS / WIDE as u32));
        Speed { chain_ns, wide_ns }
    });
    timed.join().expect("it only computes")
}

/// The median of what a step takes in some slices.
fn slices(slice: impl Fn()) -> f64 {
    let time = || {
        let began = Instant::now();
        slice();
        began.elapsed().as_secs_f64() * 1e9 / f64::from(STEPS)
    };
    let times: Vec<f64> = std::iter::repeat_with(time).take(SLICES).collect();
    finely(median(&times).unwrap_or_default())
}

/// So many steps in each of so many sums, of which none waits for another.
fn chain<const SUMS: usize>(steps: u32) {
    // They start apart, and the compiler can't know it, or it could make one of them all.
    let mut sums = black_box(std::array::from_fn::<u64, SUMS, _>(|sum| sum as u64));
    for _ in 0..steps {
        for sum in &mut sums {
            *sum = sum.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        }
    }
    black_box(sums);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_beside_each_other_take_less_than_one_after_another() {
        let Speed { chain_ns, wide_ns } = speed(Some("0"));
        assert!(wide_ns > 0.0 && wide_ns < chain_ns, "{wide_ns} {chain_ns}");
        assert!(speed(None).chain_ns > 0.0);
    }
}
