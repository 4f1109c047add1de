//! What there is to do, and how it went.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// What there is to do.
#[derive(Clone, Copy)]
pub struct Jobs {
    /// How many jobs.
    pub count: usize,
    /// How long each of them waits.
    pub pause: Duration,
    /// How many rounds of `/work` take as long.
    pub rounds: u32,
}

impl Jobs {
    /// Tries how fast this machine computes: the fastest of a few counts.
    pub fn of(count: usize, pause: Duration) -> Jobs {
        let time = |_| {
            let start = Instant::now();
            drop(site::compute(1000));
            start.elapsed()
        };
        let fastest = (0..9).map(time).min().unwrap_or(pause).max(Duration::from_nanos(1));
        let rounds = 1000.0 * pause.as_secs_f64() / fastest.as_secs_f64();
        Jobs { count, pause, rounds: rounds as u32 }
    }
}

/// Sees when jobs end, and how many were under way at once.
pub struct Watch {
    start: Instant,
    inside: AtomicUsize,
    most: AtomicUsize,
    ends: Mutex<Vec<Duration>>,
}

impl Watch {
    /// From now on.
    pub fn new() -> Watch {
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Watch { start: Instant::now(), inside, most, ends: Mutex::default() }
    }

    /// A job begins.
    pub fn enter(&self) {
        let inside = self.inside.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(inside, SeqCst);
    }

    /// A job ends.
    pub fn leave(&self) {
        self.inside.fetch_sub(1, SeqCst);
        self.ends.lock().expect("nobody panics with it").push(self.start.elapsed());
    }

    /// Milliseconds until the last job ended, and until one ended in the mean; the most at once.
    pub fn summary(&self) -> [f64; 3] {
        let ends = self.ends.lock().expect("nobody panics with it");
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let last = ends.iter().max().map_or(0.0, |end| ms(*end));
        let mean = ends.iter().map(|end| ms(*end)).sum::<f64>() / ends.len().max(1) as f64;
        [last, mean, self.most.load(SeqCst) as f64]
    }
}
