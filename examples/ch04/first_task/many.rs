//! Three tasks at the same time, on one thread: `cargo run --example executor_of_many`
mod clock;
mod executor;

use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Done when this time has come.
struct Pause(Instant);

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 {
            return Poll::Ready(());
        }
        clock::wake_at(self.0, context.waker().clone());
        Poll::Pending
    }
}

fn pause(ms: u64) -> Pause {
    Pause(Instant::now() + Duration::from_millis(ms))
}

// ANCHOR: main
async fn two_pauses(name: &str, ms: u64) {
    pause(ms).await;
    pause(ms).await;
    println!("{name}: {} ms are over", 2 * ms);
}

fn main() {
    let (sender, queue) = mpsc::channel();
    executor::spawn(&sender, two_pauses("first", 300));
    executor::spawn(&sender, two_pauses("second", 200));
    executor::spawn(&sender, two_pauses("third", 100));
    // From now on only the tasks have a sender, and with them their wakers, so the queue ends with the last.
    drop(sender);
    let polls = executor::run(queue);
    println!("all tasks have ended, after {polls} polls");
}
// ANCHOR_END: main
