//! Rung 3's pool under a model checker: no job is lost, none is run twice, and a drop comes to its end.
//!
//! An ordinary test sees the one order of events that happened. Here the threads, locks and
//! condition variables of the pool are those of [shuttle](https://docs.rs/shuttle) (`build.rs` makes
//! the copy), which decides at each of them which thread goes on, and runs the same test again and
//! again with other decisions. When all threads wait for each other it says so and fails.
//!
//! - `exhaustive`: every schedule of a small configuration, by depth-first search.
//! - `many`: the first schedules of that search, then random ones, and then those with few
//!   preemptions in random places (PCT), which find what plain chance is slow to find.
//!
//! Shuttle wakes no thread without a reason, as a real condition variable may: that the pool waits in
//! a loop is tested here by threads which overtake each other.

use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use shuttle::{
    Config, Runner,
    scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler},
    thread,
};

/// The pool of the chapter, on shuttle's threads and locks.
mod pool {
    include!(concat!(env!("OUT_DIR"), "/pool.rs"));
}

/// A pool, and those who use it.
#[derive(Clone, Copy, Debug)]
struct Setup {
    threads: usize,
    capacity: usize,
    /// Threads that queue jobs. None: the main thread does.
    producers: usize,
    /// How many jobs each of them queues.
    jobs: usize,
    /// Whether every other job panics.
    panics: bool,
    /// Whether each job gives other threads a turn before it ends.
    pauses: bool,
}

/// One execution under one schedule.
fn once(setup: Setup) {
    // Counters of `std` are invisible to shuttle, and so do not multiply the schedules. That is
    // allowed because shuttle runs one thread at a time, and changes over only at its own types.
    let jobs = setup.jobs * setup.producers.max(1);
    let runs: Arc<[AtomicUsize]> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
    let started = Arc::new(AtomicUsize::new(0));
    let accepted = AtomicUsize::new(0);

    let size = pool::Size { workers: some(setup.threads), slots: some(setup.capacity) };
    let pool = pool::ThreadPool::new(size).expect("shuttle has always one more thread");
    let produce = |producer: usize| {
        for number in producer * setup.jobs..(producer + 1) * setup.jobs {
            let runs = Arc::clone(&runs);
            let started_by_job = Arc::clone(&started);
            pool.execute(move || {
                started_by_job.fetch_add(1, Ordering::Relaxed);
                runs[number].fetch_add(1, Ordering::Relaxed);
                if setup.pauses {
                    // Another thread may go on in the middle of a job.
                    thread::yield_now();
                }
                if setup.panics && number.is_multiple_of(2) {
                    // Like `panic!`, but without the panic hook, which would print this schedule as a failure.
                    resume_unwind(Box::new("a job's own fault"));
                }
            });
            let accepted = accepted.fetch_add(1, Ordering::Relaxed) + 1;
            // What was accepted and has not begun is in the queue, or just in a worker's hands.
            let waiting = accepted - started.load(Ordering::Relaxed).min(accepted);
            assert!(waiting <= setup.capacity + setup.threads, "{waiting} jobs wait: {setup:?}");
        }
    };
    if setup.producers == 0 {
        produce(0);
    } else {
        let produce = &produce;
        thread::scope(|scope| {
            for producer in 0..setup.producers {
                scope.spawn(move || produce(producer));
            }
        });
    }
    // Finishes what is queued, and joins. Should it wait for ever, shuttle reports a deadlock.
    drop(pool);
    for (number, runs) in runs.iter().enumerate() {
        assert_eq!(runs.load(Ordering::Relaxed), 1, "how often job {number} ran: {setup:?}");
    }
}

fn some(number: usize) -> std::num::NonZeroUsize {
    std::num::NonZeroUsize::new(number).expect("at least one")
}

/// Runs one setup under the schedules of `scheduler`, and says how many these were.
fn explore(scheduler: impl Scheduler + 'static, setup: Setup) -> usize {
    let schedules = Runner::new(scheduler, Config::new()).run(move || once(setup));
    println!("{schedules} schedules of {setup:?}");
    schedules
}

/// Every schedule there is. The bound keeps a mistake from running for ever: not to reach it is part of the test.
fn exhaustive(setup: Setup) {
    let bound = 200_000;
    let schedules = explore(DfsScheduler::new(Some(bound), false), setup);
    assert!(
        schedules < bound,
        "more than {bound} schedules: this setup is too large to try them all"
    );
}

/// Some of the schedules of a setup that has too many.
fn many(setup: Setup) {
    explore(DfsScheduler::new(Some(5_000), false), setup);
    explore(RandomScheduler::new(5_000), setup);
    explore(PctScheduler::new(3, 5_000), setup);
}

/// The smallest setup: one worker, room for one job, and nobody who has one.
const SMALL: Setup =
    Setup { threads: 1, capacity: 1, producers: 0, jobs: 0, panics: false, pauses: false };

#[test]
fn every_schedule_of_an_empty_pool() {
    exhaustive(SMALL);
    exhaustive(Setup { threads: 2, ..SMALL });
}

#[test]
fn every_schedule_of_one_worker_and_a_full_queue() {
    exhaustive(Setup { jobs: 1, ..SMALL });
    exhaustive(Setup { jobs: 2, panics: true, ..SMALL });
    exhaustive(Setup { jobs: 1, producers: 1, ..SMALL });
}

#[test]
fn two_workers_and_one_job() {
    many(Setup { threads: 2, jobs: 1, ..SMALL });
}

#[test]
fn several_producers_share_a_queue_of_one() {
    many(Setup { producers: 3, jobs: 2, ..SMALL });
    many(Setup { threads: 2, producers: 3, jobs: 2, pauses: true, ..SMALL });
}

#[test]
fn a_panicking_job_costs_nobody_else_theirs() {
    many(Setup { threads: 2, producers: 2, jobs: 3, panics: true, pauses: true, ..SMALL });
}

#[test]
fn a_larger_pool() {
    let large =
        Setup { threads: 4, capacity: 3, producers: 3, jobs: 5, panics: true, pauses: true };
    many(large);
    many(Setup { threads: 3, capacity: 64, producers: 1, jobs: 12, ..large });
}
