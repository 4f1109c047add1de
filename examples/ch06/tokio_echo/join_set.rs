//! A set of tasks, each taken out when it has ended: `cargo run --example tokio_join_set`
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

#[tokio::main]
async fn main() {
    let mut questions = JoinSet::new();
    for number in 1..=4 {
        questions.spawn(ask(number));
    }
    while let Some(ended) = questions.join_next().await {
        match ended {
            Ok(number) => println!("{number} has an answer, {} are left", questions.len()),
            Err(error) => println!("one failed: is_panic() is {}", error.is_panic()),
        }
    }
}

/// Asks a database. The last to ask is the first to have its answer.
async fn ask(number: u64) -> u64 {
    sleep(Duration::from_millis(500 - 100 * number)).await;
    assert!(number != 2, "no answer for {number}");
    number
}
