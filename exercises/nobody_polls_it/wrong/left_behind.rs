// Wrong: gives the fetch a task, which goes on when nobody wants its page any more.
// The check says: goes on

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
        let fetching = tokio::spawn(fetch(number));
        process(page).await;
        next = fetching.await.expect("it doesn't panic");
    }
}
