// Keep a permit until the work has ended.
//
// Each request takes a permit, and computes on a thread for such work. It waits for a permit no longer than `patience`, and
// has until `deadline` for everything, the wait included.
// All is well until the first deadline. From then on more threads compute than there are permits.
//
// Your turn: let no more compute than there are permits, even after a deadline, and lose no permit, however a computation
// ends. Keep both times, and let nobody compute for a request that found no permit.

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
        let _permit = timeout(patience, permits.acquire()).await.ok()?.expect("nobody closes it");
        Some(spawn_blocking(work).await.expect("it doesn't panic, and is not aborted"))
    };
    timeout(deadline, in_turn).await.ok()?
}
