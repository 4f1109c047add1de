//! What a future had taken is lost with it: `cargo run --example tokio_lost`
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_millis(100);

// ANCHOR: main
#[tokio::main]
async fn main() {
    let (numbers, mut received) = mpsc::channel(8);
    numbers.send(1).await.expect("the receiver is there");
    println!("{:?}", timeout(PATIENCE, pair(&mut received)).await);
    numbers.send(2).await.expect("the receiver is there");
    numbers.send(3).await.expect("the receiver is there");
    println!("{:?}", timeout(PATIENCE, pair(&mut received)).await);
}
// ANCHOR_END: main

// ANCHOR: pair
async fn pair(numbers: &mut Receiver<u32>) -> Option<(u32, u32)> {
    let first = numbers.recv().await?;
    // A future that is dropped here takes `first` with it.
    let second = numbers.recv().await?;
    Some((first, second))
}
// ANCHOR_END: pair
