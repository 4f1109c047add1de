//! What is begun is dropped: `cargo run --example lent_dropped`
use std::sync::Arc;
use std::time::Duration;

use lent::{Database, draw_after, reported};
use tokio::task::yield_now;
use tokio::time::sleep;

/// How long the database takes for a question.
const TAKES: Duration = Duration::from_millis(100);

/// How long this program waits before it asks how things are.
const PAUSE: Duration = Duration::from_millis(200);

fn main() {
    draw_after(run);
}

// ANCHOR: run
#[tokio::main]
async fn run() {
    let database = Arc::new(Database::default());
    // Somebody else has the connection for the first 300 ms.
    let theirs = Arc::clone(&database);
    tokio::spawn(reported("other", async move { theirs.ask("other", 3 * TAKES).await }));
    while !database.is_busy() {
        yield_now().await;
    }

    let question = reported("question", database.ask("question", TAKES));
    tokio::select! {
        _answer = question => {}
        () = sleep(PAUSE) => {
            // How many are in front of us?
            reported("status", database.ask("status", TAKES)).await;
        }
    }
}
// ANCHOR_END: run
