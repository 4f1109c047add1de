//! The same without a second runtime: `cargo run --example border_handle`
use sync_border::price;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let handle = Handle::current();
    let task = spawn_blocking(move || total(&handle, &[1, 2, 3]));
    println!("the total is {}", task.await.expect("it doesn't panic"));
}

fn total(runtime: &Handle, items: &[u32]) -> u32 {
    items.iter().map(|&item| runtime.block_on(price(item))).sum()
}
// ANCHOR_END: main
