// Let threads ask an async client.
//
// Threads call the function that `blocking` returns, but the client is async only. A runtime for each
// call works, and it begins new threads each time.
//
// Your turn: one thread with a runtime of its own, and a channel as the border.

use tokio::runtime::Runtime;

/// Returns a function that asks an async client, and blocks until the answer is there.
pub fn blocking<C, F>(client: C) -> impl Fn(&str) -> String + Send + Sync + 'static
where
    C: Fn(String) -> F + Send + Sync + 'static,
    F: Future<Output = String> + Send + 'static,
{
    move |question| {
        let runtime = Runtime::new().expect("the system has threads to give");
        runtime.block_on(client(question.to_owned()))
    }
}
