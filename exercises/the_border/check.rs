//! Threads that ask one after the other and at the same time, a task that asks, and a function that is dropped.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use ex_the_border::blocking;
use exercise_kit::{check, comes_true, threads_begun, within};
use tokio::{runtime::Builder, sync::Barrier, task::spawn_blocking, time::sleep};

exercise_kit::checks![
    each_question_gets_its_answer,
    however_many_calls_begin_one_thread,
    calls_at_the_same_time_are_answered_at_the_same_time,
    a_task_may_ask_in_spawn_blocking,
    a_dropped_function_ends_its_thread,
];

async fn shout(question: String) -> String {
    sleep(Duration::from_millis(10)).await;
    question.to_uppercase()
}

fn each_question_gets_its_answer() {
    let answers = within("three questions", "three answers", || {
        let ask = blocking(shout);
        ["one", "two", "three"].map(ask)
    });
    check(
        answers == ["ONE", "TWO", "THREE"],
        format_args!("the function returned {answers:?}"),
        "the three answers",
    );
}

fn however_many_calls_begin_one_thread() {
    let begun = within("ten questions", "ten answers", || {
        let before = threads_begun();
        let ask = blocking(shout);
        for _ in 0..10 {
            ask("hello");
        }
        Some(threads_begun()? - before?)
    });
    match begun {
        Some(begun) => check(
            begun <= 1,
            format_args!("ten calls began {begun} threads"),
            "one, for all of them",
        ),
        None => exercise_kit::not_checked("how many threads were begun"),
    }
}

fn calls_at_the_same_time_are_answered_at_the_same_time() {
    const CALLS: usize = 8;
    within(
        "eight calls from eight threads",
        "calls that come at the same time to be answered at the same time",
        || {
            let all = Arc::new(Barrier::new(CALLS));
            // No question is answered before all have been asked.
            let ask = blocking(move |question| {
                let all = Arc::clone(&all);
                async move {
                    all.wait().await;
                    question
                }
            });
            thread::scope(|scope| {
                for _ in 0..CALLS {
                    scope.spawn(|| ask("hello"));
                }
            });
        },
    );
}

fn a_task_may_ask_in_spawn_blocking() {
    let answer = within("a question from a task", "an answer", || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("the system has what a runtime needs");
        runtime.block_on(async {
            let ask = blocking(shout);
            let task = spawn_blocking(move || ask("hello"));
            task.await.map_err(|error| error.to_string())
        })
    });
    check(answer == Ok("HELLO".to_owned()), format_args!("the task got {answer:?}"), "HELLO");
}

fn a_dropped_function_ends_its_thread() {
    let asked = Arc::new(AtomicUsize::new(0));
    // The client lives as long as the thread that asks it.
    let kept: Weak<AtomicUsize> = Arc::downgrade(&asked);
    within("asking a question and dropping the function", "both to end", move || {
        let ask = blocking(move |question| {
            asked.fetch_add(1, SeqCst);
            shout(question)
        });
        ask("hello");
    });
    let ended = comes_true(|| kept.strong_count() == 0);
    check(
        ended,
        "the function was dropped, and its client is still there",
        "its thread to end; look at who else has a sender",
    );
}
