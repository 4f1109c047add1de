//! The same list in tasks, two of them on one thread.

use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use experiment::say;
use tokio::runtime::Builder;
use tokio::{join, time::sleep};

/// How long each visit waits, as for a database.
const PAUSE: Duration = Duration::from_millis(50);

/// Nothing here takes this long by itself.
const LIMIT: Duration = Duration::from_secs(2);

// ANCHOR: visits
/// Wrong: the guard is kept across the await, and the thread goes to a task that wants the lock.
#[expect(clippy::await_holding_lock, reason = "it is the fault, and clippy finds it")]
async fn visit_and_hold(hits: &Mutex<u32>) {
    let mut hits = hits.lock().expect("no task panics with it");
    *hits += 1;
    sleep(PAUSE).await;
}

/// The guard is gone before the await, so the lock of the standard library is right.
async fn visit(hits: &Mutex<u32>) {
    *hits.lock().expect("no task panics with it") += 1;
    sleep(PAUSE).await;
}

/// An async lock may be kept across an await: a task that wants it gives its thread back.
async fn visit_with_async_lock(hits: &tokio::sync::Mutex<u32>) {
    let mut hits = hits.lock().await;
    *hits += 1;
    sleep(PAUSE).await;
}
// ANCHOR_END: visits

/// Whether this future comes to its end on one thread.
fn does_end<F: Future<Output = ()>>(visits: impl FnOnce() -> F + Send + 'static) -> bool {
    let (done, ended) = mpsc::channel();
    // Detached, because a thread in a deadlock can't be joined. It ends with the process.
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(visits());
        done.send(())
    });
    ended.recv_timeout(LIMIT).is_ok()
}

/// Says which pairs of visits come to their end.
pub fn run() {
    let end = |ends| if ends { "both tasks end" } else { "neither task ends" };
    let held = does_end(|| async {
        let hits = Mutex::new(0);
        join!(visit_and_hold(&hits), visit_and_hold(&hits));
    });
    say(format!("tasks: a lock of std, held across an await: {}", end(held)));
    let free = does_end(|| async {
        let hits = Mutex::new(0);
        join!(visit(&hits), visit(&hits));
    });
    say(format!("tasks: a lock of std, free before the await: {}", end(free)));
    let patient = does_end(|| async {
        let hits = tokio::sync::Mutex::new(0);
        join!(visit_with_async_lock(&hits), visit_with_async_lock(&hits));
    });
    say(format!("tasks: an async lock, held across an await: {}", end(patient)));
}
