// Wrong: keeps one runtime, with workers of its own.
// The check says: ten calls began

use tokio::runtime::Builder;

/// Returns a function that asks an async client, and blocks until the answer is there.
pub fn blocking<C, F>(client: C) -> impl Fn(&str) -> String + Send + Sync + 'static
where
    C: Fn(String) -> F + Send + Sync + 'static,
    F: Future<Output = String> + Send + 'static,
{
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build();
    let runtime = runtime.expect("the system has threads to give");
    move |question| runtime.block_on(client(question.to_owned()))
}
