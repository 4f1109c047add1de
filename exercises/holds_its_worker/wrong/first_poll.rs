// Wrong: looks at the first poll only, and a handler computes when its database has answered.
// The check says: a handler held its worker for 10, 300, 20 and 400 ms

use std::future::poll_fn;
use std::pin::pin;
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
    let mut is_first = true;
    poll_fn(|context| {
        let begun = now();
        let polled = handler.as_mut().poll(context);
        let held = now() - begun;
        if is_first && held > limit {
            report(held);
        }
        is_first = false;
        polled
    })
    .await
}
