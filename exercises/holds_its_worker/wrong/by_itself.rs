// Wrong: polls the handler in a loop of its own, without giving the worker back while it waits.
// The check says: had not ended

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Runs a handler, and reports how long it held its worker whenever that was longer than `limit`.
/// `now` is the time that has passed since the server's start.
pub async fn watched<F: Future>(
    handler: F,
    limit: Duration,
    now: impl Fn() -> Duration,
    report: impl Fn(Duration),
) -> F::Output {
    let mut handler = pin!(handler);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        let begun = now();
        let polled = handler.as_mut().poll(&mut context);
        let held = now() - begun;
        if held > limit {
            report(held);
        }
        if let Poll::Ready(output) = polled {
            return output;
        }
    }
}
