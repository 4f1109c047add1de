// Wrong: makes the channel inside a runtime, but a task may call `blocking`.
// The check says: Cannot start a runtime from within a runtime

use std::thread;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

/// A question, and where its answer goes.
type Question = (String, oneshot::Sender<String>);

/// Returns a function that asks an async client, and blocks until the answer is there.
///
/// Its thread ends when the function has been dropped.
pub fn blocking<C, F>(client: C) -> impl Fn(&str) -> String + Send + Sync + 'static
where
    C: Fn(String) -> F + Send + Sync + 'static,
    F: Future<Output = String> + Send + 'static,
{
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    let (questions, asked) = runtime.block_on(async { mpsc::channel(16) });
    thread::spawn(move || runtime.block_on(answer_all(asked, client)));
    move |question| {
        let (answer, received) = oneshot::channel();
        let question = (question.to_owned(), answer);
        questions.blocking_send(question).expect("the thread is there");
        received.blocking_recv().expect("each question is answered")
    }
}

async fn answer_all<F>(mut asked: mpsc::Receiver<Question>, client: impl Fn(String) -> F)
where
    F: Future<Output = String> + Send + 'static,
{
    while let Some((question, answer)) = asked.recv().await {
        let asking = client(question);
        // Fails if nobody waits for the answer any more.
        tokio::spawn(async move { answer.send(asking.await) });
    }
}
