// Ask about many items, a few at a time.

use tokio::task::JoinSet;

/// Asks about each item, and returns the answers in any order, or the first error.
pub async fn ask_all<F>(
    items: Vec<u32>,
    most: usize,
    ask: impl Fn(u32) -> F,
) -> Result<Vec<String>, String>
where
    F: Future<Output = Result<String, String>> + Send + 'static,
{
    let mut items = items.into_iter();
    let mut questions = JoinSet::new();
    for item in items.by_ref().take(most) {
        questions.spawn(ask(item));
    }
    let mut answers = Vec::new();
    while let Some(ended) = questions.join_next().await {
        match ended.expect("no question panics") {
            Ok(answer) => answers.push(answer),
            Err(error) => {
                questions.shutdown().await;
                return Err(error);
            }
        }
        if let Some(item) = items.next() {
            questions.spawn(ask(item));
        }
    }
    Ok(answers)
}
