//! Says each second that it still waits: `cargo run --example still_waiting`
use std::pin::pin;
use std::time::Duration;

use tokio::time::sleep;

const SECOND: Duration = Duration::from_secs(1);

// ANCHOR: main
#[tokio::main]
async fn main() {
    let answer = watched(ask()).await;
    println!("{answer}");
}

/// Waits for a future, and says each second that it still does.
async fn watched<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        tokio::select! {
            output = &mut future => return output,
            () = sleep(SECOND) => println!("still waiting"),
        }
    }
}
// ANCHOR_END: main

/// Asks a database that takes its time.
async fn ask() -> &'static str {
    sleep(5 * SECOND / 2).await;
    "the answer"
}
