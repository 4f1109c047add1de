//! What the handle of a task gives: `cargo run --example tokio_spawn`
use std::future;

use tokio::sync::oneshot;

#[tokio::main]
async fn main() {
    let computes = tokio::spawn(async { 6 * 7 });
    println!("a value: {:?}", computes.await);

    let panics = tokio::spawn(async { panic!("out of luck") });
    let error = panics.await.expect_err("it has panicked");
    println!("a panic: is_panic() is {}", error.is_panic());

    let waits = tokio::spawn(future::pending::<()>());
    waits.abort();
    let error = waits.await.expect_err("it was aborted");
    println!("an abort: is_cancelled() is {}", error.is_cancelled());

    // A channel for one value.
    let (result, received) = oneshot::channel();
    let detached = tokio::spawn(async { result.send("done") });
    drop(detached);
    println!("without a handle: {:?}", received.await);
}
