//! A deadline makes overload worse, unless the wait has a limit of its own:
//! `cargo run -p paused --example deadline_alone`
//!
//! A minute passes in no time, because Tokio's clock jumps when all tasks wait. So the counts are always the same.

// Rung 7's own.
#[path = "../ch07_bounded/bound.rs"]
mod bound;

use std::sync::Arc;
use std::time::Duration;

use bound::{Bound, Busy};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How many threads may compute, and how long a request takes: 2 / 0.2 s = 10 requests per second.
const THREADS: usize = 2;
const WORK: Duration = Duration::from_millis(200);

/// How long a request may take, the wait for a thread included.
const DEADLINE: Duration = Duration::from_secs(1);

/// How long it may wait, where that has a limit of its own, and how many may: 10 per second × 0.5 s.
const PATIENCE: Duration = Duration::from_millis(500);
const SLOTS: usize = 5;

/// How long requests come. Those of the second half are counted.
const MINUTE: Duration = Duration::from_secs(60);

// ANCHOR: request
/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In time.
    Answered,
    /// It was refused, immediately or when its patience was over.
    Refused,
    /// The deadline came while it waited for a thread.
    WaitedInVain,
    /// The deadline came while a thread computed.
    ComputedInVain,
}

/// Waits for a permit, however long: the next is for the request that has waited the longest.
pub async fn without_limit(threads: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Busy> {
    Ok(threads.acquire_owned().await.expect("nobody closes it"))
}

/// Waits for a permit as in rung 7: few may wait, and not for long.
pub async fn within_bound(threads: Arc<Bound>) -> Result<OwnedSemaphorePermit, Busy> {
    threads.permit().await
}

/// A request, which waits for its permit and then computes, within the deadline.
async fn request(permit: impl Future<Output = Result<OwnedSemaphorePermit, Busy>>) -> End {
    let mut computes = false;
    let work = async {
        let permit = permit.await?;
        computes = true;
        // A thread can't be stopped, so it stands for one that this task goes on when its handle is dropped.
        let thread = tokio::spawn(async move {
            sleep(WORK).await;
            drop(permit);
        });
        thread.await.expect("it doesn't panic");
        Ok(())
    };
    let done = timeout(DEADLINE, work).await;
    match done {
        Ok(Ok(())) => End::Answered,
        Ok(Err(Busy)) => End::Refused,
        Err(_elapsed) if computes => End::ComputedInVain,
        Err(_elapsed) => End::WaitedInVain,
    }
}
// ANCHOR_END: request

/// Lets requests come for a minute, at this share of what the threads can do: how those of its second half ended.
///
/// `permit` is how a request comes by its permit. Needs paused time, or it takes the minute.
pub async fn minute<F>(load: f64, permit: impl Fn() -> F) -> Vec<End>
where
    F: Future<Output = Result<OwnedSemaphorePermit, Busy>> + Send + 'static,
{
    let gap = WORK.div_f64(load * THREADS as f64);
    let start = Instant::now();
    let mut requests = JoinSet::new();
    let mut number = 0;
    while gap * number < MINUTE {
        let due = gap * number;
        sleep_until(start + due).await;
        let request = request(permit());
        requests.spawn(async move { (due, request.await) });
        number += 1;
    }
    let ends = requests.join_all().await.into_iter();
    ends.filter(|(due, _)| *due >= MINUTE / 2).map(|(_, end)| end).collect()
}

/// The threads, without a limit on the wait for them.
pub fn threads() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(THREADS))
}

/// The threads behind rung 7's bound.
pub fn bounded_threads() -> Arc<Bound> {
    Arc::new(Bound::new(THREADS, SLOTS, PATIENCE))
}

/// How many ended like this.
pub fn count(ends: &[End], end: End) -> usize {
    ends.iter().filter(|it| **it == end).count()
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    println!(
        "                           came  answered  refused  waited in vain  computed in vain"
    );
    for load in [0.9, 1.1, 3.0] {
        let threads = threads();
        let ends = minute(load, || without_limit(Arc::clone(&threads))).await;
        print("a deadline alone", load, &ends);
        let threads = bounded_threads();
        let ends = minute(load, || within_bound(Arc::clone(&threads))).await;
        print("and a bound on the wait", load, &ends);
    }
}

fn print(way: &str, load: f64, ends: &[End]) {
    let [answered, refused, waited, computed] =
        [End::Answered, End::Refused, End::WaitedInVain, End::ComputedInVain]
            .map(|end| count(ends, end));
    let came = ends.len();
    println!(
        "{load:.1}  {way:<24}{came:>4} {answered:>9} {refused:>8} {waited:>15} {computed:>17}"
    );
}
