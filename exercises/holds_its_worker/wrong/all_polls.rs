// Wrong: adds up all polls, so it reports a handler that holds its worker often, but never for long.
// The check says: gave its worker back after each

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
    let mut held = Duration::ZERO;
    let mut handler = pin!(handler);
    let output = poll_fn(|context| {
        let begun = now();
        let polled = handler.as_mut().poll(context);
        held += now() - begun;
        polled
    })
    .await;
    if held > limit {
        report(held);
    }
    output
}
