// Name the task that holds its worker.
//
// A server puts each of its handlers into `watched`, and logs what that reports, next to the page. The
// log names every page that had to wait, and somewhere among them the page for which they waited.
//
// Your turn: let `watched` report a handler each time that it holds its worker for longer than `limit`
// without a break, and how long that was. It never reports a handler that waits, however long.

use std::time::Duration;

/// Runs a handler, and reports how long it held its worker whenever that was longer than `limit`.
/// `now` is the time that has passed since the server's start.
pub async fn watched<F: Future>(
    handler: F,
    limit: Duration,
    now: impl Fn() -> Duration,
    report: impl Fn(Duration),
) -> F::Output {
    let begun = now();
    let output = handler.await;
    let took = now() - begun;
    if took > limit {
        report(took);
    }
    output
}
