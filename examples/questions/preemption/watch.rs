//! Who computes, who wakes, and how late.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use experiment::Switches;

/// How many polite threads or tasks there are, and how long each of them sleeps, again and again.
pub const POLITE: usize = 4;
pub const NAP: Duration = Duration::from_millis(10);

/// What is seen while the greedy compute.
#[derive(Default)]
pub struct Watch {
    /// How long the greedy compute.
    time: Duration,
    greedy_now: AtomicUsize,
    greedy_done: AtomicUsize,
    /// How late a polite one woke, in ms, from the first greedy one on.
    pub late: Mutex<Vec<f64>>,
    /// How often a polite one woke while all the greedy were at it.
    pub wakes_meanwhile: AtomicUsize,
    /// Of the threads that ran the greedy, while they were at it.
    pub switches: Mutex<Option<Switches>>,
}

impl Watch {
    /// For greedy neighbours that compute for this long.
    pub fn of(time: Duration) -> Watch {
        Watch { time, ..Watch::default() }
    }

    /// A greedy one begins.
    pub fn begin(&self) -> (Instant, Option<Switches>) {
        self.greedy_now.fetch_add(1, SeqCst);
        (Instant::now(), Switches::of_this_thread())
    }

    /// Computes about as long as one `/work` does. Returns whether there is more to do.
    pub fn step(&self, start: Instant) -> bool {
        drop(site::compute(100));
        start.elapsed() < self.time
    }

    /// A greedy one is done.
    pub fn end(&self, before: Option<Switches>) {
        self.greedy_now.fetch_sub(1, SeqCst);
        self.greedy_done.fetch_add(1, SeqCst);
        let since = Switches::of_this_thread().zip(before).map(|(now, before)| now.since(before));
        let mut sum = self.switches.lock().expect("nobody panics with it");
        *sum = since.map(|since| sum.map_or(since, |sum| sum.plus(since)));
    }

    /// What a polite one notes when it wakes from a nap. Returns whether it naps again.
    pub fn woke(&self, slept_at: Instant, greedy: usize) -> bool {
        let late = slept_at.elapsed().saturating_sub(NAP);
        if self.greedy_now.load(SeqCst) == greedy {
            self.wakes_meanwhile.fetch_add(1, SeqCst);
        }
        let done = self.greedy_done.load(SeqCst);
        if self.greedy_now.load(SeqCst) + done > 0 {
            self.late.lock().expect("nobody panics with it").push(late.as_secs_f64() * 1e3);
        }
        done < greedy
    }
}
