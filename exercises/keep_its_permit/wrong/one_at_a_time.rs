// Wrong: a lock around the computation, so that no two compute at the same time.
// The check says: both to run at the same time

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

static ONE: Mutex<()> = Mutex::new(());

/// Computes with a permit. `None` if there is none within `patience`, or if not all is done within `deadline`, the wait for
/// the permit included.
pub async fn compute<T: Send + 'static>(
    permits: Arc<Semaphore>,
    patience: Duration,
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let in_turn = async {
        let permit = timeout(patience, permits.acquire_owned()).await.ok()?;
        let permit = permit.expect("nobody closes it");
        let computes = spawn_blocking(move || {
            let guard = ONE.lock();
            let result = work();
            drop(guard);
            // Not before: after a deadline the computation goes on.
            drop(permit);
            result
        });
        Some(computes.await.expect("it doesn't panic, and is not aborted"))
    };
    timeout(deadline, in_turn).await.ok()?
}
