//! A trait with a method that waits: `cargo run -p doors --example door_trait`
use std::sync::Arc;

// ANCHOR: trait
trait Store: Send + Sync + 'static {
    /// As `async fn get(&self, key: u32) -> String`, with a promise: its future may go to another thread.
    fn get(&self, key: u32) -> impl Future<Output = String> + Send;
}

struct Memory;

impl Store for Memory {
    async fn get(&self, key: u32) -> String {
        format!("page {key}")
    }
}

async fn answer<S: Store>(store: Arc<S>) -> String {
    let task = tokio::spawn(async move { store.get(1).await });
    task.await.expect("it does not panic")
}
// ANCHOR_END: trait

#[tokio::main]
async fn main() {
    println!("{}", answer(Arc::new(Memory)).await);
}
