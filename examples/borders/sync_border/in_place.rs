//! A worker turns into a thread that may block: `cargo run --example border_in_place`
use sync_border::price;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let task = tokio::spawn(async { total(&[1, 2, 3]) });
    println!("the total is {}", task.await.expect("it doesn't panic"));
}

/// May be called by a task, but not by one on a runtime of one thread.
fn total(items: &[u32]) -> u32 {
    let runtime = Handle::current();
    block_in_place(|| items.iter().map(|&item| runtime.block_on(price(item))).sum())
}
// ANCHOR_END: main
