//! A runtime on a thread of its own, and a channel as the border: `cargo run --example border_thread`
use std::thread;

use sync_border::price;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

// ANCHOR: prices
/// A question, and where its answer goes.
type Question = (u32, oneshot::Sender<u32>);

/// The price list, for threads and for tasks.
struct Prices {
    questions: mpsc::Sender<Question>,
}

impl Prices {
    /// Starts the thread. It ends when this is dropped.
    fn start() -> Prices {
        let (questions, mut asked) = mpsc::channel::<Question>(16);
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_time().build();
            runtime.expect("the system has what a runtime needs").block_on(async move {
                while let Some((item, answer)) = asked.recv().await {
                    // A task for each, so that no question waits for another. Fails if nobody waits any more.
                    tokio::spawn(async move { answer.send(price(item).await) });
                }
            });
        });
        Prices { questions }
    }

    /// Asks, and waits without a thread.
    async fn ask(&self, item: u32) -> u32 {
        let (answer, received) = oneshot::channel();
        self.questions.send((item, answer)).await.expect("the thread is there");
        received.await.expect("each question is answered")
    }

    /// Asks, and blocks the thread. Panics in a task.
    fn ask_blocking(&self, item: u32) -> u32 {
        let (answer, received) = oneshot::channel();
        self.questions.blocking_send((item, answer)).expect("the thread is there");
        received.blocking_recv().expect("each question is answered")
    }
}
// ANCHOR_END: prices

// ANCHOR: main
fn main() {
    let prices = Prices::start();
    let orders = [vec![1, 2, 3], vec![4, 5]];
    thread::scope(|scope| {
        for order in &orders {
            let prices = &prices;
            scope.spawn(move || {
                let total: u32 = order.iter().map(|&item| prices.ask_blocking(item)).sum();
                println!("from a thread: {total}");
            });
        }
    });
    let runtime = Builder::new_current_thread().build();
    let price = runtime.expect("the system has what a runtime needs").block_on(prices.ask(6));
    println!("from a task: {price}");
}
// ANCHOR_END: main
