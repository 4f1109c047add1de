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
    /// This many jobs. Where no option sets the rounds they compute, it tries how fast this
    /// machine is: the fastest of a few times counts.
    pub fn of(count: usize, pause: Duration, rounds: Option<u32>) -> Jobs {
        const TRY: u32 = 5000;
        let time = |_| {
            let start = Instant::now();
            drop(site::compute(TRY));
            start.elapsed()
        };
        let rounds = rounds.unwrap_or_else(|| {
            let fastest = (0..15).map(time).min().unwrap_or(pause).max(Duration::from_nanos(1));
            (f64::from(TRY) * pause.as_secs_f64() / fastest.as_secs_f64()) as u32
        });
        Jobs { count, pause, rounds }
    }
}

/// Sees when jobs end, and how many were under way at the same time.
pub struct Watch {
    start: Instant,
    inside: AtomicUsize,
    most: AtomicUsize,
    ends: Mutex<Vec<Duration>>,
}

impl Watch {
    /// From now on.
    pub fn new() -> Watch {
        let inside = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
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

    /// Milliseconds until the last job ended, and until one ended in the mean; the most at the same time.
    pub fn summary(&self) -> [f64; 3] {
        let ends = self.ends.lock().expect("nobody panics with it");
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let last = ends.iter().max().map_or(0.0, |end| ms(*end));
        let mean = ends.iter().map(|end| ms(*end)).sum::<f64>() / ends.len().max(1) as f64;
        [last, mean, self.most.load(SeqCst) as f64]
    }
}
