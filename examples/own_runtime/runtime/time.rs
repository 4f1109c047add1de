//! Waiting for a time, and for the first of two things.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::reactor::Timer;
use super::runtime;

/// A wait that is over at a time.
pub struct Sleep(Timer);

/// Waits so long.
pub fn sleep(pause: Duration) -> Sleep {
    Sleep(runtime().reactor.timer(Instant::now() + pause))
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Sleep>, context: &mut Context) -> Poll<()> {
        if self.0.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let runtime = runtime();
        if runtime.reactor.set(self.0, context.waker()) {
            runtime.queue.interrupt_leader();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        runtime().reactor.unset(self.0);
    }
}

/// The output of the future that is first ready; the other one is dropped. Ask the left one first.
pub async fn race<T>(left: impl Future<Output = T>, right: impl Future<Output = T>) -> T {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|context| match left.as_mut().poll(context) {
        Poll::Pending => right.as_mut().poll(context),
        ready => ready,
    })
    .await
}

/// The output of `future`, or `None` if `limit` is over first.
pub async fn timeout<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let in_time = async { Some(future.await) };
    let too_late = async {
        sleep(limit).await;
        None
    };
    race(in_time, too_late).await
}
