//! Four jobs, one after the other: `cargo run --example jobs_in_turn`
use jobs::{compute, draw, wait};

// ANCHOR: main
#[tokio::main]
async fn main() {
    wait("A").await;
    wait("B").await;
    compute("C");
    compute("D");
    draw();
}
// ANCHOR_END: main
