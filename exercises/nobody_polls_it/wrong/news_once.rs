// Wrong: joins the question and one piece of news.
// The check says: again and again

use std::time::Duration;

use tokio::time::sleep;

/// Returns the answer to `question`. Until it is there, asks for the news after each pause and tells them.
pub async fn with_news<N: Future<Output = String>>(
    question: impl Future<Output = String> + Send + 'static,
    pause: Duration,
    news: impl Fn() -> N,
    tell: impl Fn(String),
) -> String {
    let later = async {
        sleep(pause).await;
        tell(news().await);
    };
    let (answer, ()) = tokio::join!(question, later);
    answer
}
