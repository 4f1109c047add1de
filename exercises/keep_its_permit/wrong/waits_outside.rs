// Wrong: holds the permit outside of the deadline, but still not in the thread.
// The check says: never more than two, for two permits

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Computes with a permit. `None` if there is none within `patience`, or if not all is done within `deadline`, the wait for
/// the permit included.
pub async fn compute<T: Send + 'static>(
    permits: Arc<Semaphore>,
    patience: Duration,
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let _permit = timeout(patience, permits.acquire()).await.ok()?.expect("nobody closes it");
    let done = timeout(deadline, spawn_blocking(work)).await.ok()?;
    Some(done.expect("it doesn't panic, and is not aborted"))
}
