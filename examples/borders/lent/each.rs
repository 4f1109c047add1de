//! A question and what follows it are one future: `cargo run --example lent_each`
use std::time::Duration;

use futures::stream::{self, StreamExt};
use lent::{Database, draw_after, reported};

/// How long the database takes for a question.
const TAKES: Duration = Duration::from_millis(100);

fn main() {
    draw_after(run);
}

// ANCHOR: run
#[tokio::main]
async fn run() {
    let database = &Database::default();
    let questions = stream::iter([("first", "store 1"), ("second", "store 2")]);
    questions
        .for_each_concurrent(2, |(name, store)| async move {
            reported(name, database.ask(name, TAKES)).await;
            reported(store, database.ask(store, TAKES)).await;
        })
        .await;
}
// ANCHOR_END: run
