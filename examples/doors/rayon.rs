//! A mean that all cores compute, for a task that waits: `cargo run -p doors --example door_rayon`
use std::panic::catch_unwind;
use std::{env, mem};

use rayon::prelude::*;
use tokio::sync::oneshot;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let count = env::args().nth(1).map_or(1_000_000, |count| count.parse().expect("a number"));
    let (answer, answered) = oneshot::channel();
    rayon::spawn(move || {
        // A panic that leaves this closure would abort the process.
        match catch_unwind(|| mean_of_remainders(count)) {
            Ok(mean) => drop(answer.send(mean)),
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            Err(panic) => mem::forget(panic),
        }
    });
    match answered.await {
        Ok(mean) => println!("{mean}"),
        Err(_) => println!("no mean: its computation panicked"),
    }
}

/// Panics where there are no numbers: it divides by their count.
fn mean_of_remainders(count: u64) -> u64 {
    let sum: u64 = (1..=count).into_par_iter().map(|number| number % 7).sum();
    sum / count
}
// ANCHOR_END: main
