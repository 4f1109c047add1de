// Wrong: asks for no news, so nothing can stand still.
// The check says: news

use std::time::Duration;

/// Returns the answer to `question`. Until it is there, asks for the news after each pause and tells them.
pub async fn with_news<N: Future<Output = String>>(
    question: impl Future<Output = String> + Send + 'static,
    pause: Duration,
    news: impl Fn() -> N,
    tell: impl Fn(String),
) -> String {
    let _ = (pause, news, tell);
    question.await
}
