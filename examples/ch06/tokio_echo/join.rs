//! Two waits in one task, one after the other and at the same time: `cargo run --example tokio_join`
use std::time::Duration;

use tokio::time::sleep;

// ANCHOR: main
#[tokio::main]
async fn main() {
    println!("one after the other");
    ask("name", 100).await;
    ask("address", 200).await;

    println!("at the same time");
    let (name, address) = tokio::join!(ask("name", 100), ask("address", 200));
    println!("{name} and {address} are here");
}

/// Asks a database, which takes its time.
async fn ask(what: &'static str, ms: u64) -> &'static str {
    println!("  asks for the {what}");
    sleep(Duration::from_millis(ms)).await;
    println!("  has the {what}");
    what
}
// ANCHOR_END: main
