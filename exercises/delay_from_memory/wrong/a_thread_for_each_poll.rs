// Wrong: starts a thread in each poll, and a future may be polled often.
// The check says: one delay began

use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

/// A future that is ready when its time is over.
pub struct Delay {
    end: Instant,
}

impl Delay {
    /// The time begins now.
    pub fn new(time: Duration) -> Delay {
        Delay { end: Instant::now() + time }
    }
}

impl Future for Delay {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        thread::spawn(move || {
            thread::sleep(left);
            waker.wake();
        });
        Poll::Pending
    }
}
