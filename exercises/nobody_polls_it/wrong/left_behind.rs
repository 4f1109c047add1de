// Wrong: gives the question a task, which goes on when nobody wants its answer any more.
// The check says: the question goes on

use std::time::Duration;

use tokio::time::sleep;

/// Returns the answer to `question`. Until it is there, asks for the news after each pause and tells them.
pub async fn with_news<N: Future<Output = String>>(
    question: impl Future<Output = String> + Send + 'static,
    pause: Duration,
    news: impl Fn() -> N,
    tell: impl Fn(String),
) -> String {
    let mut question = tokio::spawn(question);
    loop {
        tokio::select! {
            answer = &mut question => return answer.expect("it doesn't panic"),
            () = sleep(pause) => tell(news().await),
        }
    }
}
