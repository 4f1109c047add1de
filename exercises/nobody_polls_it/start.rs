// Find the future that nobody polls.
//
// While one page is processed, the next should be fetched. Where both need the same permit, everything
// stands still.
//
// Your turn: find out who has the permit, and who would have to be polled.

use futures::stream::{self, StreamExt};

/// Processes all pages in their order, until `fetch` returns `None`. While one is processed, the next is fetched.
pub async fn process_all<F, P>(fetch: impl Fn(usize) -> F, process: impl Fn(String) -> P)
where
    F: Future<Output = Option<String>> + Send + 'static,
    P: Future<Output = ()>,
{
    // Two at a time: the page that is awaited, and the next.
    let mut pages = stream::iter(0..).map(fetch).buffered(2);
    while let Some(Some(page)) = pages.next().await {
        process(page).await;
    }
}
