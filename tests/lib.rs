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
    pub mod calls;
    pub mod client;
    pub mod conversation;
    pub mod foreign;
    pub mod probe;
    pub mod repository;
    pub mod rungs;
    pub mod server;
    pub mod tool;
    pub mod tools;
    #[cfg(unix)]
    pub mod unix;
}

#[cfg(unix)]
pub use harness::calls::{Calls, below_strace};
/// The published cases of an outside judge.
pub use harness::probe;
#[cfg(unix)]
pub use harness::unix::{Signal, end_group, raise_file_limit, send_signal};
pub use harness::{
    client::{Client, End, NeverPauses, Response, Shown},
    conversation::{Conversation, Said, judge, last_conversation},
    foreign::{check, is_here, written_down},
    repository::{copy_book, copy_published_book, files_below, root},
    rungs::{EMBLEMS, EXPERIMENTS, RUNGS, Rung, WRONG_SERVERS},
    server::{Launch, Server, example, run_to_end, tutorial},
    tool::{Serving, build_book, observed, program, serve_book, tool},
    tools::{Finished, chromium, have, run, skip},
};
pub use records::servers::Schedule;

use std::{
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
/// `limit` is therefore repeated; one that fails earlier is a failure. The judge tries once: the machine is the
/// learner's, and so is the server.
///
/// # Panics
/// With the panic of `attempt`, or when four attempts were too slow.
pub fn conclusive<T>(limit: Duration, mut attempt: impl FnMut() -> T) -> T {
    for _ in 0..4 {
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(&mut attempt)) {
            Ok(value) => return value,
            Err(panic) if start.elapsed() < limit || harness::conversation::judges() => {
                resume_unwind(panic)
            }
            Err(_) => eprintln!("that took {:?}, and proves nothing: once more", start.elapsed()),
        }
    }
    panic!("four attempts took longer than {limit:?} each: the machine is too slow, or the server");
}

/// Fails with all complaints at once, so that a writer sees the whole list.
///
/// # Panics
/// When there is one.
#[track_caller]
pub fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
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
/// # Panics
/// When it does not within [`DEADLINE`]; `what` says what was waited for.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < DEADLINE, "waited {DEADLINE:?} in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

// Made by build.rs from the declared servers.
include!(concat!(env!("OUT_DIR"), "/for_each_rung.rs"));
