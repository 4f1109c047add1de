//! Two seconds pass in no time: `cargo test -p paused`

// Each is a program, with a main of its own.
#[allow(dead_code)]
#[path = "../cancel/pinned.rs"]
mod pinned;
#[allow(dead_code)]
#[path = "../cancel/restarts.rs"]
mod restarts;

use std::time::Duration;

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
