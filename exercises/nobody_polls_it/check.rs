//! Questions and news that need the same permit, and news that nobody gives.

use std::{
    future,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use ex_nobody_polls_it::with_news;
use exercise_kit::{check, deadline, fail};
use tokio::{
    runtime::Builder,
    sync::Semaphore,
    time::{sleep, timeout},
};

exercise_kit::checks![
    the_answer_comes_although_the_news_need_its_permit,
    news_are_told_until_the_answer_is_there,
    the_answer_ends_a_wait_for_news,
    a_question_is_dropped_with_its_function,
];

const PAUSE: Duration = Duration::from_millis(10);

/// Says that it is dropped.
struct Asking(Arc<AtomicBool>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// Runs this on a runtime of one thread; `None` if it stands still.
fn run<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    runtime.block_on(async { timeout(deadline(), work).await.ok() })
}

async fn use_connection(permits: &Semaphore, time: Duration) {
    let _permit = permits.acquire().await.expect("it is never closed");
    sleep(time).await;
}

fn the_answer_comes_although_the_news_need_its_permit() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let answer = run(async move {
        let permits = Arc::new(Semaphore::new(1));
        let theirs = Arc::clone(&permits);
        tokio::spawn(async move { use_connection(&theirs, 5 * PAUSE).await });
        tokio::task::yield_now().await;
        let ours = Arc::clone(&permits);
        let question = async move {
            counted.fetch_add(1, SeqCst);
            use_connection(&ours, 5 * PAUSE).await;
            "the answer".to_owned()
        };
        let news = || async {
            use_connection(&permits, Duration::ZERO).await;
            "news".to_owned()
        };
        with_news(question, PAUSE, news, |_| {}).await
    });
    let Some(answer) = answer else {
        fail(
            "no answer: the question has been handed the permit, and nobody polls the question",
            "that it is polled while the news are waited for",
        )
    };
    check(answer == "the answer", format_args!("{answer:?}"), "the answer");
    let asked = asked.load(SeqCst);
    check(asked == 1, format_args!("the question was asked {asked} times"), "once");
}

fn news_are_told_until_the_answer_is_there() {
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let answer = run(async {
        let enough = Arc::new(Semaphore::new(0));
        let ready = Arc::clone(&enough);
        let question = async move {
            // After the third piece of news.
            let _ = ready.acquire_many(3).await;
            "the answer".to_owned()
        };
        let tell = |said: String| {
            check(said == "news", format_args!("{said:?} is told"), "what `news` gave");
            count.fetch_add(1, SeqCst);
            enough.add_permits(1);
        };
        with_news(question, PAUSE, || future::ready("news".to_owned()), tell).await
    });
    let told = told.load(SeqCst);
    check(
        answer.is_some() && told >= 3,
        format_args!("{told} pieces of news are told, and the question waits for the third"),
        "that the news are told again and again",
    );
}

fn the_answer_ends_a_wait_for_news() {
    let answer = run(async {
        let question = async {
            sleep(5 * PAUSE).await;
            "the answer".to_owned()
        };
        with_news(question, PAUSE, future::pending, |_| {}).await
    });
    let seen = "no answer: `with_news` still waits for the news, and nobody polls the question";
    check(answer.is_some(), seen, "that the answer ends the wait");
}

fn a_question_is_dropped_with_its_function() {
    let dropped = Arc::new(AtomicBool::new(false));
    let asking = Asking(Arc::clone(&dropped));
    let is_dropped = run(async {
        let question = async move {
            let _asking = asking;
            future::pending().await
        };
        let news = || future::ready("news".to_owned());
        let _too_late = timeout(5 * PAUSE, with_news(question, PAUSE, news, |_| {})).await;
        // A task that was aborted is dropped when the runtime comes to it.
        sleep(PAUSE).await;
        dropped.load(SeqCst)
    });
    let seen = "the question goes on although `with_news` was dropped";
    check(is_dropped == Some(true), seen, "that it is dropped as well");
}
