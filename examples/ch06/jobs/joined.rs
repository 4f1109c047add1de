//! Four jobs in one task: `cargo run --example jobs_joined`
use jobs::{compute, draw, wait};

// ANCHOR: main
#[tokio::main]
async fn main() {
    tokio::join!(wait("A"), wait("B"), async { compute("C") }, async { compute("D") });
    draw();
}
// ANCHOR_END: main
