// Wrong: gives the computation a deadline of its own, which begins when it has a permit.
// The check says: one deadline for all of it, the wait for the permit included

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
        let permit = timeout(patience.min(deadline), permits.acquire_owned()).await.ok()?;
        let permit = permit.expect("nobody closes it");
        let computes = spawn_blocking(move || {
            let result = work();
            // Not before: after a deadline the computation goes on.
            drop(permit);
            result
        });
        let computed = timeout(deadline, computes).await.ok()?;
        Some(computed.expect("it doesn't panic, and is not aborted"))
    };
    in_turn.await
}
