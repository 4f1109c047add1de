//! What the tests of the rungs share: a [`Server`] that is a rung started for
//! one test, a [`Client`] that speaks raw bytes to it, and the tools that a
//! newcomer may not have.
//!
//! Every wait has a deadline, and no test should fail because the machine is
//! slow: the tests look at what comes before what, and at how often. Of a time
//! that passed they take lower bounds; where an upper one is what a promise is
//! about ("before the five seconds are over"), it stands inside [`conclusive`],
//! which repeats an attempt that was too slow to prove anything.

mod harness {
    pub mod client;
    pub mod rungs;
    pub mod server;
    pub mod tool;
    pub mod tools;
    #[cfg(unix)]
    pub mod unix;
}

#[cfg(unix)]
pub use harness::unix::{Signal, raise_file_limit, send_signal};
pub use harness::{
    client::{Client, End, NeverPauses, Response, Shown},
    rungs::{EXPERIMENTS, Kind, RUNGS, Rung, WRONG_SERVERS},
    server::{Launch, Server, example, run_to_end},
    tool::{build_book, tool},
    tools::{Finished, chromium, have, run, skip},
};

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
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

/// Makes a module of tests for each rung, named like the rung.
///
/// Each name stands for a function that takes a [`Rung`]. First come the
/// tests that every rung has, then those that only one rung has. A test of its own holds the list complete:
///
/// ```ignore
/// for_each_rung! {
///     every: [answers_every_route, answers_head]
///     ch01_single_threaded: []
///     ch02_thread_spawn: [lives_without_threads]
///     // ... all eight ...
/// }
/// ```
#[macro_export]
macro_rules! for_each_rung {
    (every: $every:tt $($rung:ident: $own:tt)*) => {
        #[test]
        fn every_rung_is_tested() {
            assert_eq!([$(stringify!($rung)),*], $crate::RUNGS.map(|rung| rung.name));
        }

        $($crate::for_each_rung!(@rung $rung $own $every);)*
    };
    (@rung $rung:ident [$($(#[$own_attribute:meta])* $own:ident),* $(,)?]
        [$($(#[$attribute:meta])* $every:ident),* $(,)?]) => {
        mod $rung {
            $(
                $(#[$own_attribute])*
                #[test]
                fn $own() {
                    super::$own($crate::Rung::named(stringify!($rung)));
                }
            )*
            $(
                $(#[$attribute])*
                #[test]
                fn $every() {
                    super::$every($crate::Rung::named(stringify!($rung)));
                }
            )*
        }
    };
}
