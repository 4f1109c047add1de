// Wrong: drops the set after an error, which aborts its tasks but waits for none of them.
// The check says: still open

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
    let mut questions = JoinSet::new();
    let mut answers = Vec::new();
    for item in items {
        if questions.len() == most {
            let ended = questions.join_next().await.expect("the set is full");
            answers.push(ended.expect("no question panics")?);
        }
        questions.spawn(ask(item));
    }
    while let Some(ended) = questions.join_next().await {
        answers.push(ended.expect("no question panics")?);
    }
    Ok(answers)
}
