// Ask about many items, a few at a time.
//
// An order has many items, and each needs an answer from the supplier. The function asks about all of
// them at the same time. After a refusal it returns, and the other questions stay open.
//
// Your turn: let at most `most` questions be open at the same time, but never fewer while items are
// left. After the first error return it, and leave no question open.

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
    let mut questions = Vec::new();
    for item in items {
        questions.push(tokio::spawn(ask(item)));
    }
    let mut answers = Vec::new();
    for question in questions {
        answers.push(question.await.expect("no question panics")?);
    }
    Ok(answers)
}
