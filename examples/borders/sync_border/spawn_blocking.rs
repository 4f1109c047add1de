//! A thread of the blocking pool blocks on a future: `cargo run --example border_spawn_blocking`
use sync_border::price;
use tokio::runtime::Runtime;
use tokio::task::spawn_blocking;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let task = spawn_blocking(|| total(&[1, 2, 3]));
    match task.await {
        Ok(total) => println!("the total is {total}"),
        Err(error) => println!("no total: is_panic() is {}", error.is_panic()),
    }
}
// ANCHOR_END: main

/// The sum of the prices. It isn't async, but the task that calls it is.
fn total(items: &[u32]) -> u32 {
    let runtime = Runtime::new().expect("the system has threads to give");
    items.iter().map(|&item| runtime.block_on(price(item))).sum()
}
