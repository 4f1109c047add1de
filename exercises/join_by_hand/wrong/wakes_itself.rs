// Wrong: asks to be polled again immediately, instead of leaving that to the two futures.
// The check says: the join woke its own task

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

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
            && let Poll::Ready(output) = b.as_mut().poll(context)
        {
            other = Some(output);
        }
        match (one.take(), other.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            // Not both yet: put back what is there.
            (first, second) => {
                (one, other) = (first, second);
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    })
    .await
}
