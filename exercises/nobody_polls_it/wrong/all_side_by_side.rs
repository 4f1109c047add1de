// Wrong: makes one future of fetching and processing, and runs them side by side.
// The check says: at the same time

use std::cell::Cell;

use futures::stream::{self, StreamExt};

/// Processes all pages in their order, until `fetch` returns `None`. While one is processed, the next is fetched.
pub async fn process_all<F, P>(fetch: impl Fn(usize) -> F, process: impl Fn(String) -> P)
where
    F: Future<Output = Option<String>> + Send + 'static,
    P: Future<Output = ()>,
{
    let ended = Cell::new(false);
    let numbers = stream::iter(0..).take_while(|_| std::future::ready(!ended.get()));
    let fetch = &fetch;
    let process = &process;
    let ended = &ended;
    let both = |number| async move {
        match fetch(number).await {
            Some(page) => process(page).await,
            None => ended.set(true),
        }
    };
    numbers.for_each_concurrent(2, both).await;
}
