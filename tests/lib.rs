//! What the tests of the rungs share: a [`Server`] that is a rung started for
//! one test, a [`Client`] that speaks raw bytes to it, and the tools that a
//! newcomer may not have.
//!
//! Every wait has a deadline, and no test should fail because the machine is
//! slow: the tests look at what comes before what, and at how often. Of a time
//! that passed they take lower bounds; where an upper one is what a promise is
//! about ("before the five seconds are over"), it stands inside [`conclusive`],
//! which repeats an attempt that was too slow to prove anything.

pub mod cases;
mod harness {
    #[cfg(unix)]
    pub mod below_strace;
    pub mod client;
    pub mod failure;
    pub mod foreign;
    pub mod other_programs;
    pub mod probe;
    pub mod repository;
    pub mod rungs;
    pub mod server;
    pub mod trials;
    #[cfg(unix)]
    pub mod unix;
    pub mod xtask;
}

#[cfg(unix)]
pub use harness::below_strace::{Calls, below_strace};
/// The published cases of an outside judge.
pub use harness::probe;
#[cfg(unix)]
pub use harness::unix::{Signal, end_group, file_limits, raise_file_limit, send_signal};
pub use harness::{
    client::{Client, End, Form, NeverPauses, Response},
    failure::{Excerpt, Failure, ensure},
    foreign::{is_here, written_down},
    other_programs::{Finished, chromium, have, run, skip},
    repository::{copy_book, copy_published_book, files_below, root},
    rungs::{AXUM_SERVICE, EMBLEMS, EXPERIMENTS, RUNGS, Rung, WRONG_SERVERS},
    server::{Launch, Server, example, run_to_end, tutorial},
    trials::{Alone, Named, On, Plain, Trials},
    xtask::{Serving, build_book, observed, program, serve_book, tool},
};
pub use records::servers::Schedule;

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

/// How long a test waits for anything that should come at once.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Runs `attempt`, and again if it panicked so late that this says nothing about the server.
///
/// Some experiments hold only while a limit of the server has not passed: "the
/// half-open client is still connected" is true for five seconds. On a stalled
/// machine the experiment itself may take longer. An attempt that fails after
/// `limit` is therefore repeated; one that fails earlier is a failure.
///
/// # Panics
/// With the panic of `attempt`, or when four attempts were too slow.
pub fn conclusive<T>(limit: Duration, mut attempt: impl FnMut() -> T) -> T {
    for _ in 0..4 {
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(&mut attempt)) {
            Ok(value) => return value,
            Err(panic) if start.elapsed() < limit => resume_unwind(panic),
            Err(_) => eprintln!("that took {:?}, and proves nothing: once more", start.elapsed()),
        }
    }
    panic!("four attempts took longer than {limit:?} each: the machine is too slow, or the server");
}

/// Runs `attempt`, and again if it failed so late that this says nothing about the server: see [`conclusive`].
///
/// # Errors
/// That of `attempt`, or of the last of four that were too slow.
pub fn try_again<T>(
    limit: Duration,
    mut attempt: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut attempts = 0;
    loop {
        let start = Instant::now();
        match attempt() {
            Err(failure) if start.elapsed() >= limit => {
                attempts += 1;
                if attempts == 4 {
                    let wanted =
                        format!("{}, and four attempts took longer than {limit:?}", failure.wanted);
                    return Err(Failure { wanted, ..failure });
                }
            }
            outcome => return outcome,
        }
    }
}

/// Fails with all complaints at once, so that a writer sees the whole list.
///
/// # Panics
/// When there is one.
#[track_caller]
pub fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A complaint about each name that only one of two lists has, in the words that follow the name.
pub fn unlike(
    one: &BTreeSet<String>,
    other: &BTreeSet<String>,
    only_in_one: &str,
    only_in_other: &str,
) -> Vec<String> {
    let first = one.difference(other).map(|name| format!("{name}{only_in_one}"));
    first.chain(other.difference(one).map(|name| format!("{name}{only_in_other}"))).collect()
}

/// Does this with all of these at the same time, each on a thread of its own.
///
/// # Errors
/// The first in their order that fails.
///
/// # Panics
/// As the first of them that does.
pub fn side_by_side<T: Send>(
    all: impl IntoIterator<Item = T>,
    run: impl Fn(T) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let run = &run;
    thread::scope(|scope| {
        let begin = |one| scope.spawn(move || harness::server::with_last_words(|| run(one)));
        let threads: Vec<_> = all.into_iter().map(begin).collect();
        let mut outcomes = threads.into_iter().map(ScopedJoinHandle::join);
        outcomes.try_for_each(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Waits for these threads of a scope. The scope alone would not say why one of them has panicked.
///
/// # Panics
/// As the first of them that has.
pub fn join_all(threads: Vec<ScopedJoinHandle<'_, ()>>) {
    for thread in threads {
        if let Err(panic) = thread.join() {
            resume_unwind(panic);
        }
    }
}

/// Waits until `condition` holds.
///
/// # Errors
/// When it does not within [`DEADLINE`]; `what` says what was waited for.
pub fn wait_for(
    what: &str,
    mut condition: impl FnMut() -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let start = Instant::now();
    while !condition()? {
        if start.elapsed() > DEADLINE {
            return Err(Failure::seen(format_args!("{DEADLINE:?} in vain"), what));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Waits until `condition` holds.
///
/// # Panics
/// When it does not within [`DEADLINE`]; `what` says what was waited for.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || Ok(condition())).unwrap();
}
