// Wrong: wakes its own task in every poll, so a CPU is busy until the time is over.
// The check says: woken before its time was over

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
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
