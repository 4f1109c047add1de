//! Three tasks at the same time, on one thread: `cargo run --example executor_of_many`
mod executor;

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use executor::Executor;

/// Done when its time is over; a thread of its own waits for that.
struct Pause {
    shared: Arc<Mutex<Shared>>,
}

/// What a pause and its thread share.
struct Shared {
    over: bool,
    waker: Option<Waker>,
}

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut shared = self.shared.lock().expect("nothing panics under it");
        if shared.over {
            return Poll::Ready(());
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

fn pause(ms: u64) -> Pause {
    let shared = Arc::new(Mutex::new(Shared { over: false, waker: None }));
    let for_thread = Arc::clone(&shared);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(ms));
        let mut shared = for_thread.lock().expect("nothing panics under it");
        shared.over = true;
        let waker = shared.waker.take();
        // The poll that follows the wake wants this lock, perhaps at once and in this thread.
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    Pause { shared }
}

// ANCHOR: main
async fn two_pauses(name: &str, ms: u64) {
    pause(ms).await;
    pause(ms).await;
    println!("{name}: {} ms are over", 2 * ms);
}

fn main() {
    let mut executor = Executor::new();
    executor.spawn(two_pauses("first", 300));
    executor.spawn(two_pauses("second", 200));
    executor.spawn(two_pauses("third", 100));
    let polls = executor.run();
    println!("all tasks have ended, after {polls} polls");
}
// ANCHOR_END: main
