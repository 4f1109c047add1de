//! Two seconds pass in no time, and so does a minute: `cargo test -p paused`

// Each is a program, with a main of its own.
#[allow(dead_code)]
mod deadline_alone;
#[allow(dead_code)]
#[path = "../cancel/pinned.rs"]
mod pinned;
#[allow(dead_code)]
#[path = "../cancel/restarts.rs"]
mod restarts;

use std::sync::Arc;
use std::time::Duration;

use deadline_alone::{End, bounded_threads, count, minute, threads, within_bound, without_limit};
use tokio::sync::mpsc;
use tokio::time::Instant;

// ANCHOR: tests
#[tokio::test(start_paused = true)]
async fn a_deadline_that_begins_again_with_each_round_never_comes() {
    let (pieces, mut received) = mpsc::channel(1);
    tokio::spawn(restarts::send(pieces));
    let start = Instant::now();
    assert_eq!(restarts::receive(&mut received).await, "all of it");
    assert!(start.elapsed() >= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_outside_of_the_loop_comes_in_time() {
    let (pieces, mut received) = mpsc::channel(1);
    tokio::spawn(pinned::send(pieces));
    let start = Instant::now();
    assert_eq!(pinned::receive(&mut received).await, "too late");
    // The clock stands still while a task runs, so this is exact to the millisecond of Tokio's timers.
    assert!(start.elapsed() - Duration::from_millis(500) <= Duration::from_millis(1));
}
// ANCHOR_END: tests

/// A tenth more than two threads can compute, and the threads compute for nobody; the counts of the page.
#[tokio::test(start_paused = true)]
async fn with_a_deadline_alone_nobody_is_answered() {
    for (load, came) in [(1.1, 330), (3.0, 900)] {
        let threads = threads();
        let ends = minute(load, || without_limit(Arc::clone(&threads))).await;
        assert_eq!((ends.len(), count(&ends, End::Answered)), (came, 0), "at {load}");
        assert_eq!(count(&ends, End::ComputedInVain), 300, "at {load}");
    }
}

/// With rung 7's own bound nobody computes in vain.
#[tokio::test(start_paused = true)]
async fn with_a_bound_on_the_wait_as_many_are_answered_as_the_threads_can_serve() {
    for (load, came) in [(1.1, 330), (3.0, 900)] {
        let threads = bounded_threads();
        let ends = minute(load, || within_bound(Arc::clone(&threads))).await;
        assert_eq!((ends.len(), count(&ends, End::Answered)), (came, 300), "at {load}");
        assert_eq!(count(&ends, End::Refused), came - 300, "at {load}");
    }
}
