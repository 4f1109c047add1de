//! The same five clients, and a worker that nobody holds: `cargo run --example which_task_repaired`
use std::collections::HashSet;

use tokio::task::JoinSet;
use which_task::{client, dearest, orders, presents, receipt, total};

#[tokio::main(worker_threads = 1)]
async fn main() {
    let mut clients = JoinSet::new();
    clients.spawn(client("total", total));
    clients.spawn(client("dearest", dearest));
    clients.spawn(client("receipt", receipt));
    clients.spawn(client("newsletter", newsletter));
    clients.spawn(client("presents", presents));
    clients.join_all().await;
}

// ANCHOR: newsletter
/// The addresses for the newsletter, each of them once.
async fn newsletter() -> String {
    let orders = orders().await;
    let mut seen = HashSet::new();
    let mut addresses = Vec::new();
    for order in orders {
        if seen.insert(&order.email) {
            addresses.push(order.email.clone());
        }
    }
    addresses.join("\n")
}
// ANCHOR_END: newsletter
