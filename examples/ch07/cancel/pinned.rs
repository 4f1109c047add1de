//! A deadline for all iterations of a loop: `cargo run --example deadline_pinned`
use std::pin::pin;
use std::time::Duration;

use tokio::select;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, sleep};

/// How long a request may take.
const DEADLINE: Duration = Duration::from_millis(500);

// ANCHOR: main
#[tokio::main]
async fn main() {
    let (pieces, mut received) = mpsc::channel(1);
    tokio::spawn(send(pieces));
    let start = Instant::now();
    let outcome = receive(&mut received).await;
    println!("{outcome} after {:.1} s", start.elapsed().as_secs_f64());
}

/// A slow client: it sends ten pieces, one every 200 ms.
pub async fn send(pieces: Sender<u32>) {
    for number in 1..=10 {
        sleep(Duration::from_millis(200)).await;
        if pieces.send(number).await.is_err() {
            return;
        }
    }
}
// ANCHOR_END: main

// ANCHOR: receive
/// Takes pieces until the last of them has come, or the deadline.
pub async fn receive(pieces: &mut Receiver<u32>) -> &'static str {
    let mut deadline = pin!(sleep(DEADLINE));
    loop {
        select! {
            piece = pieces.recv() => match piece {
                Some(number) => println!("piece {number}"),
                None => return "all of it",
            },
            () = &mut deadline => return "too late",
        }
    }
}
// ANCHOR_END: receive
