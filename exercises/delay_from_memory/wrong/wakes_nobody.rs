// Wrong: looks at a clock and keeps no waker, so it is never polled again.
// The check says: nobody woke the task

use std::pin::Pin;
use std::task::{Context, Poll};
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
        if Instant::now() >= self.end {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}
