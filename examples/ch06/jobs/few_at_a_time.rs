//! Many questions, a few at a time: `cargo run --example few_at_a_time`
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How many questions are open at the same time.
const AT_A_TIME: usize = 3;

static OPEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[tokio::main]
async fn main() {
    let answers = a_set_that_is_full().await;
    println!(
        "a full set: {answers} answers, at most {} questions open",
        MOST.swap(0, Ordering::Relaxed)
    );
    let answers = permits().await;
    println!(
        "permits: {answers} answers, at most {} questions open",
        MOST.swap(0, Ordering::Relaxed)
    );
}

// ANCHOR: full
async fn a_set_that_is_full() -> usize {
    let mut questions = JoinSet::new();
    let mut answers = 0;
    for number in 0..10 {
        if questions.len() == AT_A_TIME {
            questions.join_next().await.expect("the set is full").expect("no question panics");
            answers += 1;
        }
        questions.spawn(ask(number));
    }
    answers + questions.join_all().await.len()
}
// ANCHOR_END: full

// ANCHOR: permits
async fn permits() -> usize {
    let permits = Arc::new(Semaphore::new(AT_A_TIME));
    let mut questions = JoinSet::new();
    for number in 0..10 {
        let permits = Arc::clone(&permits);
        questions.spawn(async move {
            let _permit = permits.acquire().await.expect("it is never closed");
            ask(number).await
        });
    }
    questions.join_all().await.len()
}
// ANCHOR_END: permits

/// Asks a database, and counts how many questions are open.
async fn ask(number: u64) {
    let open = 1 + OPEN.fetch_add(1, Ordering::Relaxed);
    MOST.fetch_max(open, Ordering::Relaxed);
    sleep(Duration::from_millis(20 + 10 * (number % 3))).await;
    OPEN.fetch_sub(1, Ordering::Relaxed);
}
