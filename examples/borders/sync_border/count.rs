//! How many threads eight calls begin: `cargo run --example border_count`
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use sync_border::price;
use tokio::runtime::{Builder, Runtime};

const CALLS: u32 = 8;

// ANCHOR: main
fn main() {
    report("a runtime of four workers for each call", |begun| {
        (0..CALLS).map(|item| four_workers(begun).block_on(price(item))).sum()
    });
    report("one runtime of four workers", |begun| {
        let runtime = four_workers(begun);
        (0..CALLS).map(|item| runtime.block_on(price(item))).sum()
    });
    report("one runtime on the caller's thread", |_begun| {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        (0..CALLS).map(|item| runtime.block_on(price(item))).sum()
    });
    report("the same, and all at once", |_begun| {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let prices = futures::future::join_all((0..CALLS).map(price)).await;
            prices.iter().sum()
        })
    });
}

/// What `Runtime::new` makes on a machine with four hardware threads, with a count of the threads that it begins.
fn four_workers(begun: &Arc<AtomicUsize>) -> Runtime {
    let begun = Arc::clone(begun);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(4).enable_time().on_thread_start(move || {
        begun.fetch_add(1, Relaxed);
    });
    builder.build().expect("a runtime")
}
// ANCHOR_END: main

fn report(how: &str, calls: impl FnOnce(&Arc<AtomicUsize>) -> u32) {
    let begun = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let total = calls(&begun);
    assert_eq!(total, 280, "the prices of eight items");
    let tenths = (start.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    println!("{how}: {} threads, {tenths:.1} s", begun.load(Relaxed));
}
