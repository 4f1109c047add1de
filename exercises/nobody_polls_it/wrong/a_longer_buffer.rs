// Wrong: puts eight futures into the buffer in place of one.
// The check says: nobody polls it

use futures::stream::{self, StreamExt};

/// Processes all pages in their order, until `fetch` returns `None`. While one is processed, the next is fetched.
pub async fn process_all<F, P>(fetch: impl Fn(usize) -> F, process: impl Fn(String) -> P)
where
    F: Future<Output = Option<String>> + Send + 'static,
    P: Future<Output = ()>,
{
    let mut pages = stream::iter(0..).map(fetch).buffered(8);
    while let Some(Some(page)) = pages.next().await {
        process(page).await;
    }
}
