//! Wrong: futures in a buffer wait for what the loop over them waits for: `cargo run --example lent_buffer`
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
    let database = Database::default();
    let ask = |name| reported(name, database.ask(name, TAKES));
    let mut answers = stream::iter(["first", "second"]).map(ask).buffer_unordered(2);
    while let Some(answer) = answers.next().await {
        // The answer goes into the database as well.
        let name = if answer == "first" { "store 1" } else { "store 2" };
        reported(name, database.ask(name, TAKES)).await;
    }
}
// ANCHOR_END: run
