// Keep a permit until the work has ended.
//
// Each request takes a permit, and computes on a thread for such work. Who is not done within the deadline is given up.
// All is well until the first deadline. From then on more threads compute than there are permits.
//
// Your turn: let no more compute than there are permits, also after a deadline, and lose no permit.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Computes with a permit; `None` if that has not been done within `deadline`, the wait for the permit included.
pub async fn compute<T: Send + 'static>(
    permits: Arc<Semaphore>,
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let in_turn = async {
        let _permit = permits.acquire().await.expect("nobody closes it");
        spawn_blocking(work).await.expect("it doesn't panic, and is not aborted")
    };
    timeout(deadline, in_turn).await.ok()
}
