//! A function that blocks, for threads and for tasks: `cargo run --example border_in_place`
use std::sync::LazyLock;

use sync_border::price;
use tokio::runtime::{Handle, Runtime};
use tokio::task::block_in_place;

// ANCHOR: main
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

fn main() {
    println!("from a thread: {}", total(&[1, 2, 3]));
    let task = RUNTIME.spawn(async { total(&[1, 2, 3]) });
    println!("from a task: {}", RUNTIME.block_on(task).expect("it doesn't panic"));
}

/// May be called by a thread, and by a task of a multi-thread runtime.
fn total(items: &[u32]) -> u32 {
    match Handle::try_current() {
        Ok(runtime) => block_in_place(|| sum(&runtime, items)),
        // A thread that knows of no runtime.
        Err(_none) => sum(RUNTIME.handle(), items),
    }
}

fn sum(runtime: &Handle, items: &[u32]) -> u32 {
    items.iter().map(|&item| runtime.block_on(price(item))).sum()
}
// ANCHOR_END: main
