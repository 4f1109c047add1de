//! Helpers that the checks of the exercises share.
//!
//! Every wait in here ends. A check that fails says in words what it saw and
//! what it expected, even when nothing at all happens.

mod by_hand;
mod checks;
mod client;
mod database;
mod executor;
mod gate;
mod server;
mod threads;

pub use by_hand::{answer, answer_now, listen, sleepy, slow_database, target};
pub use checks::{Check, main};
pub use client::{Client, Response};
pub use database::Database;
pub use executor::{Counted, PollsAtOnce, block_on};
pub use gate::Gate;
pub use server::Server;
pub use threads::{check_idle, threads_begun, threads_now};

use std::{
    env,
    fmt::Display,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Lists the checks of an exercise, which are functions, and writes the `main` that runs them.
#[macro_export]
macro_rules! checks {
    ($($name:ident),+ $(,)?) => {
        /// The checks, in their order.
        pub const CHECKS: &[$crate::Check] =
            &[$((concat!(module_path!(), "::", stringify!($name)), $name)),+];

        #[allow(dead_code)]
        fn main() -> std::process::ExitCode {
            $crate::main(CHECKS)
        }
    };
}

/// Returns the time that a check waits for something which comes immediately when the exercise is solved.
///
/// Ten seconds, or as many as the environment variable `EXERCISE_SECONDS` says.
pub fn deadline() -> Duration {
    let seconds = env::var("EXERCISE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

/// Fails the check, in words.
///
/// # Panics
/// Always.
#[track_caller]
pub fn fail(seen: impl Display, expected: impl Display) -> ! {
    panic!("\n  seen:     {seen}\n  expected: {expected}\n")
}

/// Fails the check unless `holds`.
///
/// # Panics
/// When it does not hold.
#[track_caller]
pub fn check(holds: bool, seen: impl Display, expected: impl Display) {
    if !holds {
        fail(seen, expected);
    }
}

/// Prints what a check leaves out, because this system can't tell.
pub fn not_checked(what: impl Display) {
    println!("not checked on this system: {what}");
}

/// Runs `work` on its own thread and returns what it returns.
///
/// # Panics
/// When `work` panics, and when it is not over after [`deadline`]: then `doing` names the work.
/// Its thread is left behind until the process ends.
#[track_caller]
pub fn within<T: Send + 'static>(
    doing: &str,
    expected: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, receiver) = mpsc::channel();
    threads::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let _ = sender.send(outcome.map_err(|panic| words_of(&*panic)));
    });
    match receiver.recv_timeout(deadline()) {
        Ok(Ok(value)) => value,
        // A check that failed inside has said what it saw.
        Ok(Err(words)) if words.contains("expected:") => panic!("{words}"),
        Ok(Err(words)) => fail(format_args!("{doing} panicked: {words}"), expected),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            fail(format_args!("{doing} had not ended after {:?}", deadline()), expected)
        }
    }
}

/// Waits until `condition` holds, and tells whether it did before the deadline.
pub fn comes_true(condition: impl FnMut() -> bool) -> bool {
    comes_true_within(deadline(), condition)
}

pub(crate) fn comes_true_within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > limit {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Times an attempt: returns the time of the first of five that takes less than `limit`, or the shortest of all.
///
/// On a machine that stalls, any attempt may take longer, but not each of them. An attempt that is slow by itself is slow
/// each time.
pub fn shortest(limit: Duration, mut attempt: impl FnMut() -> Duration) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..5 {
        shortest = shortest.min(attempt());
        if shortest < limit {
            break;
        }
    }
    shortest
}

/// Waits, so that something that must not happen can happen.
///
/// Many short sleeps and not a long one: on a machine that stalls, this thread has been woken a hundred
/// times before it continues, and so has every other thread that had something to do.
pub fn a_moment() {
    (0..100).for_each(|_| thread::sleep(Duration::from_millis(5)));
}

/// Returns the message of a panic.
pub(crate) fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(attempt: impl FnOnce()) -> String {
        let panic = catch_unwind(AssertUnwindSafe(attempt)).expect_err("it fails");
        words_of(&*panic)
    }

    #[test]
    fn a_failure_says_what_was_seen_and_what_was_expected() {
        let said = words(|| check(false, "three answers", "four"));
        assert!(
            said.contains("seen:     three answers") && said.contains("expected: four"),
            "{said}"
        );
        check(true, "", "");
    }

    #[test]
    fn one_attempt_in_time_is_enough() {
        let seconds = Duration::from_secs;
        let mut took = [9, 7, 3, 1].map(seconds).into_iter();
        assert_eq!(shortest(seconds(5), || took.next().expect("no more is tried")), seconds(3));
        let mut took = [9, 8, 7, 8, 9].map(seconds).into_iter();
        assert_eq!(shortest(seconds(5), || took.next().expect("five are tried")), seconds(7));
    }

    #[test]
    fn a_panic_inside_is_told_and_a_result_is_handed_on() {
        assert_eq!(within("counting", "a number", || 7), 7);
        let said = words(|| within("counting", "a number", || panic!("oh no")));
        assert!(said.contains("counting panicked: oh no"), "{said}");
        let said = words(|| within("counting", "a number", || fail("one", "two")));
        assert!(said.contains("seen:     one") && !said.contains("counting"), "{said}");
    }
}
