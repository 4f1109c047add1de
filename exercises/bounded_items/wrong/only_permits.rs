// Wrong: bounds the questions, but drops the handles of their tasks after an error, so the tasks go on.
// The check says: still open

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Asks about each item, and returns the answers in any order, or the first error.
pub async fn ask_all<F>(
    items: Vec<u32>,
    most: usize,
    ask: impl Fn(u32) -> F,
) -> Result<Vec<String>, String>
where
    F: Future<Output = Result<String, String>> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(most));
    let mut questions = Vec::new();
    for item in items {
        let permit = Arc::clone(&permits).acquire_owned().await.expect("it is never closed");
        let question = ask(item);
        questions.push(tokio::spawn(async move {
            let _permit = permit;
            question.await
        }));
    }
    let mut answers = Vec::new();
    for question in questions {
        answers.push(question.await.expect("no question panics")?);
    }
    Ok(answers)
}
