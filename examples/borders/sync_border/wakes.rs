//! How often a worker falls asleep while two talk to each other: `cargo run --example border_wakes`
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

/// How many questions are asked and answered.
const QUESTIONS: u32 = 10_000;

// ANCHOR: main
fn main() {
    let workers = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    report("four workers, `main` and a task", &workers, talk());
    let workers = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
    report("four workers, two tasks", &workers, async {
        tokio::spawn(talk()).await.expect("it doesn't panic");
    });
    let one_thread = Builder::new_current_thread().build().expect("a runtime");
    report("one thread, `main` and a task", &one_thread, talk());
}

/// Asks a task, and waits for each answer.
async fn talk() {
    let (questions, mut asked) = mpsc::channel(1);
    let (answers, mut answered) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Some(number) = asked.recv().await {
            // Fails when nobody asks any more.
            let _ = answers.send(number + 1).await;
        }
    });
    for number in 0..QUESTIONS {
        questions.send(number).await.expect("the task is there");
        answered.recv().await.expect("the task answers");
    }
}
// ANCHOR_END: main

/// Prints how often a worker of this runtime has fallen asleep meanwhile, and how long all took.
fn report(who: &str, runtime: &Runtime, talk: impl Future<Output = ()>) {
    let before = sleeps(runtime);
    let begun = Instant::now();
    runtime.block_on(talk);
    let took = begun.elapsed();
    println!("{who}: {} sleeps, {} ms", sleeps(runtime) - before, took.as_millis());
}

fn sleeps(runtime: &Runtime) -> u64 {
    let metrics = runtime.metrics();
    (0..metrics.num_workers()).map(|worker| metrics.worker_park_count(worker)).sum()
}
