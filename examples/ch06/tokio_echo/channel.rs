//! A task that owns what others ask it for: `cargo run --example tokio_channel`
use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

enum Message {
    Visit(&'static str),
    Count(&'static str, oneshot::Sender<u32>),
}

async fn own(mut messages: mpsc::Receiver<Message>) {
    let mut hits = HashMap::new();
    while let Some(message) = messages.recv().await {
        match message {
            Message::Visit(path) => *hits.entry(path).or_insert(0) += 1,
            Message::Count(path, answer) => {
                // Fails if the asker has left, and then nobody misses the answer.
                let _ = answer.send(hits.get(path).copied().unwrap_or(0));
            }
        }
    }
    println!("every sender is gone");
}

#[tokio::main]
async fn main() {
    let (messages, received) = mpsc::channel(16);
    let owner = tokio::spawn(own(received));

    let mut visitors = JoinSet::new();
    for _ in 0..8 {
        let messages = messages.clone();
        visitors.spawn(async move {
            for _ in 0..1000 {
                messages.send(Message::Visit("/")).await.expect("the owner is there");
            }
        });
    }
    visitors.join_all().await;

    let (answer, count) = oneshot::channel();
    messages.send(Message::Count("/", answer)).await.expect("the owner is there");
    println!("visits: {}", count.await.expect("the owner answers"));
    drop(messages);
    owner.await.expect("the owner has not panicked");
}
