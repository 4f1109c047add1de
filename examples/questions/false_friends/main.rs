//! Three things that look right and are slow: threads for computing, a blocking call in a task,
//! and a lock held while one waits.
//!
//! Run it as you read the page "Threads and tasks on your own machine":
//!
//!     cargo run --example false_friends

mod blocking;
mod computing;
mod jobs;
mod locking;

use std::{io, time::Duration};

use experiment::{Options, fail, hardware_threads, print_figures};
use jobs::{Jobs, Watch};

const USAGE: &str = "\
Usage: false_friends [OPTIONS]

Does the same jobs in a way that looks right and in one that is, and prints how long that takes.

  --jobs N                how many jobs there are, 1 to 10000 (default 64)
  --ms N                  how long one waits or computes, 1 to 10000 (default 20)
  --rounds N              how much one computes, up to 1000000000 (default: what takes --ms)
  --json                  measure one of them, and print it as JSON; it is chosen by
  --way thread-per-job|thread-per-core|
        blocking-call|blocking-pool|async-sleep|
        lock-across-await|lock-before-await
  --quick                 as short as possible: a try, and no measurement
  -h, --help              print this
";

type Way = fn(Jobs, &'static Watch) -> io::Result<()>;
const WAYS: [(&str, &str, Way); 7] = [
    ("thread-per-job", "compute: a thread for each job", computing::thread_per_job),
    ("thread-per-core", "compute: a thread for each core", computing::thread_per_core),
    ("blocking-call", "wait: thread::sleep in tasks, two workers", blocking::call),
    ("blocking-pool", "wait: the same in spawn_blocking", blocking::pool),
    ("async-sleep", "wait: tokio's sleep in tasks", blocking::not_at_all),
    ("lock-across-await", "wait: with an async lock held", locking::across_await),
    ("lock-before-await", "wait: after the lock was given back", locking::before_await),
];

/// Milliseconds until all jobs are done, and for one in the mean; the most at the same time.
fn measure(jobs: Jobs, way: Way) -> [f64; 3] {
    // It is needed until the process ends, so that every thread and task may keep it.
    let watch: &'static Watch = Box::leak(Box::new(Watch::new()));
    way(jobs, watch).unwrap_or_else(|error| fail("false_friends", error));
    watch.summary()
}

fn main() {
    let options = Options::from_args(USAGE, &["jobs", "ms", "rounds", "way"]);
    let (count, ms) = if options.quick() { (4, 2) } else { (64, 20) };
    let count = options.number("jobs", 1..=10_000).unwrap_or(count);
    let ms = options.number("ms", 1..=10_000).unwrap_or(ms);
    let rounds = options.number("rounds", 1..=1_000_000_000);
    let jobs = Jobs::of(count, Duration::from_millis(ms), rounds);
    if options.json() {
        let way = options.required_choice("way", &WAYS.map(|(name, _, way)| (name, way)));
        let [all, mean, most] = measure(jobs, way);
        let figures = [("all_ms", all), ("mean_ms", mean), ("most_at_once", most)];
        return print_figures(&figures.map(|(name, value)| (name, Some(value))));
    }
    println!("{count} jobs, {ms} ms each, in seven ways. Which are slow, and why?\n");
    println!("                                            ms for  ms for one     most");
    println!("                                          all jobs  in the mean  at once");
    for (_, title, way) in WAYS {
        let [all, mean, most] = measure(jobs, way);
        println!("{title:<42}{all:>8.1}{mean:>13.1}{most:>9}");
    }
    println!(
        "\nMost at once: how many jobs had begun and not ended.\n\
         Those that compute share {} hardware threads: if more have begun, each is done\n\
         later, and all of them no sooner. Those that wait should all have begun, and all\n\
         be done after {ms} ms: where they are not, something holds the others up.",
        hardware_threads()
    );
}
