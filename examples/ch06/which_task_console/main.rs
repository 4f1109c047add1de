//! For tokio-console, with the flag `RUSTFLAGS="--cfg tokio_unstable"`:
//! `cargo run --example which_task_console -p which_task_console`
use tokio::task::JoinSet;
use which_task::{client, dearest, newsletter, presents, receipt, total};

#[tokio::main(worker_threads = 1)]
async fn main() {
    console_subscriber::init();
    let mut clients = JoinSet::new();
    clients.spawn(client("total", total));
    clients.spawn(client("dearest", dearest));
    clients.spawn(client("receipt", receipt));
    clients.spawn(client("newsletter", newsletter));
    clients.spawn(client("presents", presents));
    clients.join_all().await;
}
