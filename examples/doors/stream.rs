//! Many questions as a stream, three at a time: `cargo run -p doors --example door_stream`
use futures::stream::{self, StreamExt};

// ANCHOR: main
#[tokio::main]
async fn main() {
    let answers = stream::iter(1..=10).map(ask).buffer_unordered(3);
    let even = answers.filter(|answer| std::future::ready(answer % 2 == 0));
    println!("{}", even.count().await);
}

async fn ask(question: u32) -> u32 {
    question * question
}
// ANCHOR_END: main
