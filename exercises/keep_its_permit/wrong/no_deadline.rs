// Wrong: the deadline covers only the wait for the permit.
// The check says: nothing, because the deadline was over

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
    let permit = timeout(patience.min(deadline), permits.acquire_owned()).await.ok()?;
    let permit = permit.expect("nobody closes it");
    let computes = spawn_blocking(move || {
        let result = work();
        drop(permit);
        result
    });
    Some(computes.await.expect("it doesn't panic, and is not aborted"))
}
