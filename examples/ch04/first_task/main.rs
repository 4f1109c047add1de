//! A future that is asked again and again: `cargo run --example first_task`
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

// ANCHOR: future
/// Done when this time has come.
struct Pause(Instant);

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}
// ANCHOR_END: future

// ANCHOR: block_on
/// Polls `future` until it is done, and counts the polls.
fn block_on<T>(future: impl Future<Output = T>) -> (T, u64) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0;
    loop {
        polls += 1;
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return (output, polls);
        }
    }
}
// ANCHOR_END: block_on

// ANCHOR: main
fn pause(ms: u64) -> Pause {
    Pause(Instant::now() + Duration::from_millis(ms))
}

fn main() {
    let ((), polls) = block_on(pause(100));
    println!("100 ms are over, after {polls} polls");
}
// ANCHOR_END: main
