// Wrong: fetches a page only when the one before has been processed.
// The check says: nobody fetches the next

/// Processes all pages in their order, until `fetch` returns `None`. While one is processed, the next is fetched.
pub async fn process_all<F, P>(fetch: impl Fn(usize) -> F, process: impl Fn(String) -> P)
where
    F: Future<Output = Option<String>> + Send + 'static,
    P: Future<Output = ()>,
{
    let mut number = 0;
    while let Some(page) = fetch(number).await {
        process(page).await;
        number += 1;
    }
}
