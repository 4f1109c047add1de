// Write `join` for two futures.
//
// `join(a, b).await` should be ready when both are, and both should make progress side by side,
// but this version polls `b` only after `a` is ready.
//
// Your turn: poll both each time, in `std::future::poll_fn`. A future that was ready must not be polled again.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The outputs of both futures, which make progress side by side.
pub async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    (a.await, b.await)
}
