//! Five clients of a shop, each of which asks for another page: `cargo run --example which_task`
use tokio::task::JoinSet;
use which_task::{client, dearest, newsletter, presents, receipt, total};

// ANCHOR: main
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
// ANCHOR_END: main
