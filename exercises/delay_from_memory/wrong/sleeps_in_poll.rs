// Wrong: sleeps in `poll`, so the thread of the executor sleeps, with all its tasks.
// The check says: ready at its first poll

use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

/// A future that is ready when its time is over.
pub struct Delay {
    time: Duration,
}

impl Delay {
    /// The time begins now.
    pub fn new(time: Duration) -> Delay {
        Delay { time }
    }
}

impl Future for Delay {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        thread::sleep(self.time);
        Poll::Ready(())
    }
}
