//! Wrong: a `block_on` that knows of no runtime, on a worker: `cargo run --example border_hangs`
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sync_border::price;

fn main() {
    let workers = std::env::args().nth(1).map_or(1, |number| number.parse().expect("a number"));
    let (result, received) = mpsc::channel();
    // On a thread of its own: what stands still can't end itself.
    thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(workers).enable_time().build();
        let runtime = runtime.expect("the system has threads to give");
        result.send(runtime.block_on(async { tokio::spawn(async { total(&[1, 2, 3]) }).await }))
    });
    match received.recv_timeout(Duration::from_secs(1)) {
        Ok(total) => println!("workers: {workers}, the total is {}", total.expect("no panic")),
        Err(_too_late) => println!("workers: {workers}, and after a second no total"),
    }
}

// ANCHOR: total
fn total(items: &[u32]) -> u32 {
    items.iter().map(|&item| futures::executor::block_on(price(item))).sum()
}
// ANCHOR_END: total
