//! Who waits for the tasks that a function has started: `cargo run --example children`
use std::io;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

/// How long the far database takes.
const FAR: Duration = Duration::from_millis(150);

#[tokio::main]
async fn main() {
    println!("two handles");
    if let Err(error) = two_handles().await {
        println!("  over: {error}");
    }
    sleep(2 * FAR).await;
    println!("a set");
    if let Err(error) = a_set().await {
        println!("  over: {error}");
    }
    sleep(2 * FAR).await;
    println!("one task");
    if let Err(error) = one_task().await {
        println!("  over: {error}");
    }
    sleep(2 * FAR).await;
}

// ANCHOR: handles
async fn two_handles() -> io::Result<(String, String)> {
    let far = tokio::spawn(far());
    let near = tokio::spawn(near());
    let near = near.await??;
    let far = far.await??;
    Ok((near, far))
}
// ANCHOR_END: handles

// ANCHOR: set
async fn a_set() -> io::Result<Vec<String>> {
    let mut questions = JoinSet::new();
    questions.spawn(far());
    questions.spawn(near());
    let mut answers = Vec::new();
    while let Some(ended) = questions.join_next().await {
        match ended? {
            Ok(answer) => answers.push(answer),
            Err(error) => {
                questions.shutdown().await;
                return Err(error);
            }
        }
    }
    Ok(answers)
}
// ANCHOR_END: set

// ANCHOR: one_task
async fn one_task() -> io::Result<(String, String)> {
    tokio::try_join!(far(), near())
}
// ANCHOR_END: one_task

// ANCHOR: questions
/// A database that answers late.
async fn far() -> io::Result<String> {
    let _asking = Asking;
    sleep(FAR).await;
    println!("  the far database answers");
    Ok("far".to_owned())
}

/// A database that refuses.
async fn near() -> io::Result<String> {
    sleep(FAR / 3).await;
    Err(io::ErrorKind::ConnectionRefused.into())
}

/// The far database's question while it is open.
struct Asking;

impl Drop for Asking {
    fn drop(&mut self) {
        println!("  its question is closed");
    }
}
// ANCHOR_END: questions
