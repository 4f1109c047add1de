// Wrong: takes the items in groups, and a group waits for its slowest question.
// The check says: fewer than three questions were open

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
    let mut answers = Vec::new();
    for group in items.chunks(most) {
        let mut questions = JoinSet::new();
        for &item in group {
            questions.spawn(ask(item));
        }
        while let Some(ended) = questions.join_next().await {
            match ended.expect("no question panics") {
                Ok(answer) => answers.push(answer),
                Err(error) => {
                    questions.shutdown().await;
                    return Err(error);
                }
            }
        }
    }
    Ok(answers)
}
