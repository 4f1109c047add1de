// Find the question that nobody polls.

use std::pin::pin;
use std::time::Duration;

use tokio::time::sleep;

/// Returns the answer to `question`. Until it is there, asks for the news after each pause and tells them.
pub async fn with_news<N: Future<Output = String>>(
    question: impl Future<Output = String> + Send + 'static,
    pause: Duration,
    news: impl Fn() -> N,
    tell: impl Fn(String),
) -> String {
    let mut question = pin!(question);
    loop {
        let later = async {
            sleep(pause).await;
            news().await
        };
        // Both waits stand in front of an arrow, so both futures are polled.
        tokio::select! {
            answer = &mut question => return answer,
            said = later => tell(said),
        }
    }
}
