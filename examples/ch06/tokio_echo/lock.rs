//! A lock in two tasks on one thread: `cargo run --example tokio_lock`
use std::rc::Rc;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::time::sleep;

/// How long each visit waits, as for a database.
const PAUSE: Duration = Duration::from_millis(50);

/// Nothing here takes this long by itself.
const LIMIT: Duration = Duration::from_secs(2);

// ANCHOR: visits
/// Wrong: the guard is kept across the await, and the thread goes to a task that wants the lock.
#[expect(clippy::await_holding_lock, reason = "it is the fault, and clippy finds it")]
async fn visit_and_hold(hits: Rc<Mutex<u32>>) {
    let mut hits = hits.lock().expect("no task panics with it");
    *hits += 1;
    sleep(PAUSE).await;
}

/// The guard is gone before the await, so the lock of the standard library is right.
async fn visit(hits: Rc<Mutex<u32>>) {
    *hits.lock().expect("no task panics with it") += 1;
    sleep(PAUSE).await;
}

/// An async lock may be kept across an await: a task that wants it gives its thread back.
async fn visit_with_async_lock(hits: Rc<tokio::sync::Mutex<u32>>) {
    let mut hits = hits.lock().await;
    *hits += 1;
    sleep(PAUSE).await;
}
// ANCHOR_END: visits

// ANCHOR: spawned
/// Spawns two visits on one thread: do both tasks end?
fn do_both_end<M, V>(visit: fn(Rc<M>) -> V) -> bool
where
    M: Default + 'static,
    V: Future<Output = ()> + 'static,
{
    let (done, ended) = mpsc::channel();
    // Detached, because a thread in a deadlock can't be joined. It ends with the process.
    thread::spawn(move || {
        let mut builder = Builder::new_current_thread();
        let runtime = builder.enable_time().build_local(LocalOptions::default());
        let runtime = runtime.expect("a runtime");
        let hits = Rc::new(M::default());
        // Unlike `spawn`, it takes a future that isn't `Send`: its tasks stay on this thread.
        let first = runtime.spawn_local(visit(Rc::clone(&hits)));
        let second = runtime.spawn_local(visit(hits));
        runtime.block_on(async {
            first.await.expect("it does not panic");
            second.await.expect("it does not panic");
        });
        done.send(())
    });
    ended.recv_timeout(LIMIT).is_ok()
}
// ANCHOR_END: spawned

fn main() {
    let end = |ends| if ends { "both tasks end" } else { "neither task ends" };
    let held = do_both_end(visit_and_hold);
    println!("a lock of std, held across an await: {}", end(held));
    let free = do_both_end(visit);
    println!("a lock of std, free before the await: {}", end(free));
    let patient = do_both_end(visit_with_async_lock);
    println!("an async lock, held across an await: {}", end(patient));
}
