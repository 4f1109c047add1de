// Wrong: lends the fetch to a `select!`, and leaves it alone while the page is processed to its end.
// The check says: nobody polls it

use std::pin::pin;
use std::time::Duration;

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
        let mut fetching = pin!(fetch(number));
        let early = tokio::select! {
            biased;
            fetched = &mut fetching => Some(fetched),
            () = tokio::time::sleep(Duration::from_millis(1)) => None,
        };
        process(page).await;
        next = match early {
            Some(fetched) => fetched,
            None => fetching.await,
        };
    }
}
