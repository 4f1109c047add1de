// Wrong: looks at the answer before the clock; behind the arrow nobody looks at it all the same.
// The check says: nobody polls the question

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
            biased;
            answer = &mut question => return answer,
            () = sleep(pause) => tell(news().await),
        }
    }
}
