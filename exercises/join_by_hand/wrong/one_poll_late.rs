// Wrong: looks whether both are ready before it polls them, so it needs one more poll, and nobody wakes it for that.
// The check says: the future was still pending after

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
        if let (Some(_), Some(_)) = (&one, &other) {
            return Poll::Ready((one.take().unwrap(), other.take().unwrap()));
        }
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
        Poll::Pending
    })
    .await
}
