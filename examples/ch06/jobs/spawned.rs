//! Four jobs, each a task of its own: `cargo run --example jobs_spawned`
use jobs::{compute, draw, wait};
use tokio::task::JoinSet;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let mut jobs = JoinSet::new();
    jobs.spawn(wait("A"));
    jobs.spawn(wait("B"));
    jobs.spawn(async { compute("C") });
    jobs.spawn(async { compute("D") });
    jobs.join_all().await;
    draw();
}
// ANCHOR_END: main
