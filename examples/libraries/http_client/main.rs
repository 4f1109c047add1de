//! What retries do to a server after a rush, with a budget and without: `cargo run -p http_client`
//!
//! It asks the server that `cargo run --example rush_none` has started.
mod client;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use client::{Budget, Client};
use tokio::time::{Instant, sleep_until};

// ANCHOR: rush
/// How many calls, and how far apart: half a second with three times what the server can do, and then five with half of
/// it.
const PHASES: [(u32, Duration); 2] =
    [(150, Duration::from_micros(3_333)), (250, Duration::from_millis(20))];

/// The calls of the last second are counted apart.
const LAST: usize = 50;

/// Calls in an open loop: each begins when it is due, whatever has become of those before it. Whether each was answered,
/// the first call first.
async fn offer(client: &Arc<Client>, url: &str) -> Vec<bool> {
    let mut due = Instant::now();
    let mut calls = Vec::new();
    for (count, distance) in PHASES {
        for _ in 0..count {
            sleep_until(due).await;
            let client = Arc::clone(client);
            let url = url.to_owned();
            calls.push(tokio::spawn(async move { client.get(&url).await.is_ok() }));
            due += distance;
        }
    }
    let mut answered = Vec::new();
    for call in calls {
        answered.push(call.await.expect("no call panics"));
    }
    answered
}
// ANCHOR_END: rush

#[tokio::main]
async fn main() {
    let url = format!("http://127.0.0.1:{}/query", port());
    println!("                 calls  requests  answered  of the last second's calls");
    // The budget first: it leaves no queue behind.
    for (name, budget) in [("with a budget", Some(Budget::new())), ("without", None)] {
        let client = Arc::new(Client::new(budget));
        let calls = offer(&client, &url).await;
        let sent = client.sent.load(Relaxed);
        let answered = calls.iter().filter(|answered| **answered).count();
        let last = &calls[calls.len() - LAST..];
        let of_last = last.iter().filter(|answered| **answered).count();
        println!("{name:<15} {:>6} {sent:>9} {answered:>9}  {of_last} of {LAST}", calls.len());
    }
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}
