//! Wrong: `for_each_concurrent` at its limit doesn't poll the buffer: `cargo run --example lent_each_behind`
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
    let ask = |name| reported(name, database.ask(name, TAKES));
    let answers = stream::iter(["first", "second"]).map(ask).buffer_unordered(2);
    answers
        .for_each_concurrent(1, |answer| async move {
            // The answer goes into the database as well.
            let name = if answer == "first" { "store 1" } else { "store 2" };
            reported(name, database.ask(name, TAKES)).await;
        })
        .await;
}
// ANCHOR_END: run
