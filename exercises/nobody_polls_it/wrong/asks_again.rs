// Wrong: drops the fetch when the page is processed first, and fetches again.
// The check says: fetched twice

/// Processes all pages in their order, until `fetch` returns `None`. While one is processed, the next is fetched.
pub async fn process_all<F, P>(fetch: impl Fn(usize) -> F, process: impl Fn(String) -> P)
where
    F: Future<Output = Option<String>> + Send + 'static,
    P: Future<Output = ()>,
{
    let mut number = 0;
    let mut next = fetch(number).await;
    while let Some(page) = next {
        number += 1;
        let mut processing = std::pin::pin!(process(page));
        next = tokio::select! {
            fetched = fetch(number) => {
                processing.await;
                fetched
            }
            () = &mut processing => fetch(number).await,
        };
    }
}
