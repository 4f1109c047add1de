//! A sum that all cores compute, for a task that waits: `cargo run -p doors --example door_rayon`
use rayon::prelude::*;
use tokio::sync::oneshot;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let (answer, answered) = oneshot::channel();
    rayon::spawn(move || {
        let sum: u64 = (1..=1_000_000_u64).into_par_iter().map(|number| number % 7).sum();
        let _ = answer.send(sum);
    });
    println!("{}", answered.await.expect("the sum is sent"));
}
// ANCHOR_END: main
