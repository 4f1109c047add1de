//! Two jobs are tasks, and two have threads: `cargo run --example jobs_moved`
use jobs::{compute, draw, wait};
use tokio::task::JoinSet;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let mut jobs = JoinSet::new();
    jobs.spawn(wait("A"));
    jobs.spawn(wait("B"));
    jobs.spawn_blocking(|| compute("C"));
    jobs.spawn_blocking(|| compute("D"));
    jobs.join_all().await;
    draw();
}
// ANCHOR_END: main
