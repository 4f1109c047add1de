//! Waiting for a time.

// ANCHOR: time
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::{future::poll_fn, io, pin::Pin, pin::pin};

use super::{lock, runtime};

/// A wait that is over at a time: its entry among the timers.
pub struct Sleep((Instant, usize));

/// Waits this long.
pub fn sleep(pause: Duration) -> Sleep {
    Sleep((Instant::now() + pause, runtime().reactor.number()))
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Sleep>, context: &mut Context) -> Poll<()> {
        if self.0.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let mut timers = lock(&runtime().reactor.timers);
        let old = timers.insert(self.0, context.waker().clone());
        let is_first = timers.first_key_value().is_some_and(|(first, _)| *first == self.0);
        drop(timers);
        // Without the lock, because the old waker may be the last that keeps a task.
        drop(old);
        if is_first {
            // The thread that sleeps at the reactor sleeps too long now.
            runtime().queue.interrupt_leader();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = lock(&runtime().reactor.timers).remove(&self.0);
        // Without the lock, as above.
        drop(waker);
    }
}

/// Returns the output of `future`, or an error if `limit` is over first. The loser is dropped.
pub async fn timeout<T>(limit: Duration, future: impl Future<Output = T>) -> io::Result<T> {
    let mut future = pin!(future);
    let mut late = pin!(sleep(limit));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Pending => late.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
        ready => ready.map(Ok),
    })
    .await
}
// ANCHOR_END: time
