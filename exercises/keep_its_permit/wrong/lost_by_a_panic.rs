// Wrong: takes permits away and adds them again by hand, in a line that a panic never reaches.
// The check says: of 2 permits were there after a panic

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
    let in_turn = async {
        let permit = timeout(patience, permits.acquire()).await.ok()?;
        permit.expect("nobody closes it").forget();
        let again = Arc::clone(&permits);
        let computes = spawn_blocking(move || {
            let result = work();
            // Not before: after a deadline the computation goes on.
            again.add_permits(1);
            result
        });
        Some(computes.await.expect("it doesn't panic, and is not aborted"))
    };
    timeout(deadline, in_turn).await.ok()?
}
