//! A program with threads and one async client: `cargo run --example border_block_on`
use std::thread;

use sync_border::price;
use tokio::runtime::Runtime;

// ANCHOR: main
fn main() {
    let orders = [vec![1, 2, 3], vec![4, 5]];
    thread::scope(|scope| {
        for order in &orders {
            scope.spawn(move || println!("{order:?}: {}", total(order)));
        }
    });
}

/// The sum of the prices. It isn't async, and neither is anybody who calls it.
fn total(items: &[u32]) -> u32 {
    let runtime = Runtime::new().expect("the system has threads to give");
    items.iter().map(|&item| runtime.block_on(price(item))).sum()
}
// ANCHOR_END: main
