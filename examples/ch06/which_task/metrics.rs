//! Five clients of a shop, and how busy the worker was: `cargo run --example which_task_metrics`
use std::time::Instant;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use which_task::{client, dearest, newsletter, presents, receipt, total};

// ANCHOR: main
#[tokio::main(worker_threads = 1)]
async fn main() {
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    clients.spawn(client("total", total));
    clients.spawn(client("dearest", dearest));
    clients.spawn(client("receipt", receipt));
    clients.spawn(client("newsletter", newsletter));
    clients.spawn(client("presents", presents));
    clients.join_all().await;
    let busy = Handle::current().metrics().worker_total_busy_duration(0);
    println!("busy for {} of {} ms", busy.as_millis(), begun.elapsed().as_millis());
}
// ANCHOR_END: main
