//! The first of two answers, and what becomes of the other: `cargo run --example tokio_select`
use std::time::Duration;

use tokio::time::sleep;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let first = tokio::select! {
        answer = ask("near", Duration::from_millis(100)) => answer,
        answer = ask("far", Duration::from_secs(100)) => answer,
    };
    println!("the first answer is from {first}");
}

async fn ask(server: &'static str, pause: Duration) -> &'static str {
    let _asking = Asking(server);
    sleep(pause).await;
    println!("{server} answers");
    server
}
// ANCHOR_END: main

// ANCHOR: asking
/// Prints a line when it is dropped, with the future that owns it.
struct Asking(&'static str);

impl Drop for Asking {
    fn drop(&mut self) {
        println!("{} is dropped", self.0);
    }
}
// ANCHOR_END: asking
