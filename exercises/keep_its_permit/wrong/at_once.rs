// Wrong: gives up at once if there is no permit, and ignores `patience`.
// The check says: it to wait for a permit as long as `patience`

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
        let permit = permits.try_acquire_owned().ok()?;
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
