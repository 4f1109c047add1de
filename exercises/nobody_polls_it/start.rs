// Find the question that nobody polls.
//
// While the question waits, the function asks for the news now and then. Where both need the same
// permit, it stands still.
//
// Your turn: find out who has the permit, and who would have to poll it.

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
        tokio::select! {
            answer = &mut question => return answer,
            () = sleep(pause) => tell(news().await),
        }
    }
}
