// Wrong: takes the newest answer, which is the one to the question before.
// The check says: the three answers

use std::thread;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};

/// Returns a function that asks an async client, and blocks until the answer is there.
///
/// Its thread ends when the function has been dropped.
pub fn blocking<C, F>(client: C) -> impl Fn(&str) -> String + Send + Sync + 'static
where
    C: Fn(String) -> F + Send + Sync + 'static,
    F: Future<Output = String> + Send + 'static,
{
    let (questions, asked) = mpsc::channel(16);
    let (answers, newest) = watch::channel(String::new());
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has what a runtime needs");
        runtime.block_on(answer_all(asked, answers, client));
    });
    move |question| {
        questions.blocking_send(question.to_owned()).expect("the thread is there");
        newest.borrow().clone()
    }
}

async fn answer_all<F>(
    mut asked: mpsc::Receiver<String>,
    answers: watch::Sender<String>,
    client: impl Fn(String) -> F,
) where
    F: Future<Output = String> + Send + 'static,
{
    while let Some(question) = asked.recv().await {
        let answer = client(question).await;
        answers.send_replace(answer);
    }
}
