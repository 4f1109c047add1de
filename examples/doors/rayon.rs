//! A sum that all cores compute, for a task that waits: `cargo run -p doors --example door_rayon`
use std::panic::catch_unwind;
use std::{env, mem};

use rayon::prelude::*;
use tokio::sync::oneshot;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let divisor = env::args().nth(1).map_or(7, |number| number.parse().expect("a number"));
    let (answer, answered) = oneshot::channel();
    rayon::spawn(move || {
        // A panic that leaves this closure would abort the process.
        match catch_unwind(|| sum_of_remainders(divisor)) {
            Ok(sum) => drop(answer.send(sum)),
            // What a panic carries may panic as well when it's dropped, so nobody drops it.
            Err(panic) => mem::forget(panic),
        }
    });
    match answered.await {
        Ok(sum) => println!("{sum}"),
        Err(_) => println!("no sum: its computation panicked"),
    }
}

fn sum_of_remainders(divisor: u64) -> u64 {
    (1..=1_000_000_u64).into_par_iter().map(|number| number % divisor).sum()
}
// ANCHOR_END: main
