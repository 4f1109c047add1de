//! Each question has a task: `cargo run --example lent_set`
use std::sync::Arc;
use std::time::Duration;

use lent::{Database, draw_after, reported};
use tokio::task::JoinSet;

/// How long the database takes for a question.
const TAKES: Duration = Duration::from_millis(100);

fn main() {
    draw_after(run);
}

// ANCHOR: run
#[tokio::main]
async fn run() {
    let database = Arc::new(Database::default());
    let mut questions = JoinSet::new();
    for name in ["first", "second"] {
        let database = Arc::clone(&database);
        questions.spawn(reported(name, async move { database.ask(name, TAKES).await }));
    }
    while let Some(answer) = questions.join_next().await {
        // The answer goes into the database as well.
        let name = if answer.expect("no panic") == "first" { "store 1" } else { "store 2" };
        reported(name, database.ask(name, TAKES)).await;
    }
}
// ANCHOR_END: run
