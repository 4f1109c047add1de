// Wrong: the thread waits for the permit, where no time limit reaches it, and computes for somebody who has given up.
// The check says: nobody to compute for a request that has been given up

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
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
    let runtime = Handle::current();
    let computes = spawn_blocking(move || {
        let _permit = runtime.block_on(permits.acquire_owned()).expect("nobody closes it");
        work()
    });
    let computed = timeout(patience.min(deadline), computes).await.ok()?;
    Some(computed.expect("it doesn't panic, and is not aborted"))
}
