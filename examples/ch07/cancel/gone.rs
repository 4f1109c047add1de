//! What has to be finished although the client is gone: `cargo run --example client_gone`
use std::time::Duration;

use tokio::time::{sleep, timeout};

/// When the client leaves.
const PATIENCE: Duration = Duration::from_millis(100);

// ANCHOR: main
#[tokio::main]
async fn main() {
    println!("in the handler's future");
    if timeout(PATIENCE, order()).await.is_err() {
        println!("  the client is gone");
    }

    println!("in a task");
    let mut task = tokio::spawn(order());
    if timeout(PATIENCE, &mut task).await.is_err() {
        println!("  the client is gone");
        // A server does this at its end, with a `TaskTracker`.
        task.await.expect("it doesn't panic");
    }
}

async fn order() {
    println!("  the card is charged");
    sleep(Duration::from_millis(300)).await;
    println!("  the parcel is on its way");
}
// ANCHOR_END: main
