// Wrong: waits for a permit until the deadline: in a rush nobody has the time left to compute.
// The check says: nothing, when `patience` is over, although the deadline is an hour

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Computes with a permit. `None` if there is none within `patience`, or if not all is done within `deadline`, the wait for
/// the permit included.
pub async fn compute<T: Send + 'static>(
    permits: Arc<Semaphore>,
    _patience: Duration,
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let in_turn = async {
        let permit = permits.acquire_owned().await;
        let permit = permit.expect("nobody closes it");
        let computes = spawn_blocking(move || {
            let result = work();
            // Not before: after a deadline the computation goes on.
            drop(permit);
            result
        });
        Some(computes.await.expect("it doesn't panic, and is not aborted"))
    };
    timeout(deadline, in_turn).await.ok()?
}
