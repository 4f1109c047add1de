//! Three things that look right and are slow: threads for computing, a blocking call in a task,
//! and a lock held while one waits.
//!
//! Run it beside the page "Threads and tasks on your machine":
//!
//!     cargo run --example false_friends

mod blocking;
mod computing;
mod locking;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use experiment::{Options, fail, hardware_threads, print_figures, say};

const USAGE: &str = "\
Usage: false_friends [OPTIONS]

Does the same jobs in a way that looks right and in one that is, and prints how long that takes.

  --jobs N                how many jobs there are, 1 to 10000 (default 64)
  --pause MS              how long a job waits, 1 to 10000 (default 20)
  --rounds N              how much a job computes, 1 to 100000000 (default 2000)
  --json                  measure one of them, and print it as JSON; it is chosen by
  --way thread-per-job|thread-per-core|
        blocking-call|blocking-pool|async-sleep|
        lock-across-await|lock-before-await
  --quick                 as short as possible: a try, and no measurement
  -h, --help              print this
";

/// What there is to do.
#[derive(Clone, Copy)]
struct Jobs {
    count: usize,
    pause: Duration,
    rounds: u32,
}

// ANCHOR: inside
/// Sees when jobs end, and how many were under way at once.
struct Watch {
    start: Instant,
    inside: AtomicUsize,
    most: AtomicUsize,
    ends: Mutex<Vec<Duration>>,
}

impl Watch {
    fn enter(&self) {
        let inside = self.inside.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(inside, SeqCst);
    }

    fn leave(&self) {
        self.inside.fetch_sub(1, SeqCst);
        self.ends.lock().expect("nobody panics with it").push(self.start.elapsed());
    }
}
// ANCHOR_END: inside

type Way = fn(Jobs, &'static Watch) -> std::io::Result<()>;
const WAYS: [(&str, &str, Way); 7] = [
    ("thread-per-job", "compute: a thread for each job", computing::thread_per_job),
    ("thread-per-core", "compute: a thread for each core", computing::thread_per_core),
    ("blocking-call", "wait: thread::sleep in tasks, two workers", blocking::call),
    ("blocking-pool", "wait: the same in spawn_blocking", blocking::pool),
    ("async-sleep", "wait: tokio's sleep in tasks", blocking::not_at_all),
    ("lock-across-await", "wait: with an async lock held", locking::across_await),
    ("lock-before-await", "wait: after the lock was given back", locking::before_await),
];

/// Milliseconds until all jobs are done, and for one in the mean; the most at once.
fn measure(jobs: Jobs, way: Way) -> [f64; 3] {
    // It is needed until the process ends, so that every thread and task may keep it.
    let watch: &'static Watch = Box::leak(Box::new(Watch {
        start: Instant::now(),
        inside: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        ends: Mutex::default(),
    }));
    way(jobs, watch).unwrap_or_else(|error| fail("false_friends", error));
    let ends = watch.ends.lock().expect("nobody panics with it");
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let last = ends.iter().max().map_or(0.0, |end| ms(*end));
    let mean = ends.iter().map(|end| ms(*end)).sum::<f64>() / ends.len().max(1) as f64;
    [last, mean, watch.most.load(SeqCst) as f64]
}

fn main() {
    let options = Options::from_args(USAGE, &["jobs", "pause", "rounds", "way"]);
    let (count, pause, rounds) = if options.quick() { (4, 2, 10) } else { (64, 20, 2000) };
    let jobs = Jobs {
        count: options.number("jobs", 1..=10_000).unwrap_or(count),
        pause: Duration::from_millis(options.number("pause", 1..=10_000).unwrap_or(pause)),
        rounds: options.number("rounds", 1..=100_000_000).unwrap_or(rounds),
    };
    if options.json() {
        let way = options.required_choice("way", &WAYS.map(|(name, _, way)| (name, way)));
        let [all, mean, most] = measure(jobs, way);
        let figures = [("all_ms", all), ("mean_ms", mean), ("most_at_once", most)];
        return print_figures(&figures.map(|(name, value)| (name, Some(value))));
    }
    say(format!("{} jobs, and ways to do them. Which are slow, and why?\n", jobs.count));
    say("                                            ms for      ms for one       most");
    say("                                          all jobs     in the mean    at once");
    for (_, title, way) in WAYS {
        let [all, mean, most] = measure(jobs, way);
        say(format!("{title:<42}{all:>8.1}{mean:>16.1}{most:>11}"));
    }
    say(format!(
        "\nMost at once: how many jobs had begun and not ended. Computing ones share {} hardware threads, so that\n\
         to have more begun makes each of them later and all of them no sooner. Of those that wait {} ms, all\n\
         should be begun at once: where they are not, something holds the others up.",
        hardware_threads(),
        jobs.pause.as_millis()
    ));
}
