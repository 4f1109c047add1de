//! A bound on one kind of work: permits, a short queue in front of them, and a limit on the wait in it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

// ANCHOR: bound
/// How much of one kind of work is done at the same time, and who may wait for it.
pub struct Bound {
    permits: Arc<Semaphore>,
    /// A slot for each request that waits for a permit.
    queue: Semaphore,
    /// How long a request may wait.
    patience: Duration,
}

/// The work won't be begun: too many wait for it, or this request has waited too long.
pub struct Busy;

impl Bound {
    pub fn new(permits: usize, slots: usize, patience: Duration) -> Bound {
        let permits = Arc::new(Semaphore::new(permits));
        Bound { permits, queue: Semaphore::new(slots), patience }
    }

    /// A permit, immediately or after a short wait.
    ///
    /// The wait has a limit of its own, well below the request's deadline: whoever gets a permit
    /// has time left to use it.
    pub async fn permit(&self) -> Result<OwnedSemaphorePermit, Busy> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _slot = self.queue.try_acquire().map_err(|_full| Busy)?;
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = timeout(self.patience, permit).await.map_err(|_too_long| Busy)?;
        Ok(permit.expect("nobody closes it"))
    }
}
// ANCHOR_END: bound
