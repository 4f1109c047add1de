// Wrong: polls the second future with a waker that wakes nobody.
// The check says: each future to be polled with the waker of the task

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The outputs of both futures, which make progress side by side.
pub async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let mut a = pin!(a);
    let mut b = pin!(b);
    let mut one = None;
    let mut other = None;
    poll_fn(|context| {
        if one.is_none()
            && let Poll::Ready(output) = a.as_mut().poll(context)
        {
            one = Some(output);
        }
        if other.is_none()
            && let Poll::Ready(output) = b.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            other = Some(output);
        }
        match (one.take(), other.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            // Not both yet: put back what is there.
            (first, second) => {
                (one, other) = (first, second);
                Poll::Pending
            }
        }
    })
    .await
}
