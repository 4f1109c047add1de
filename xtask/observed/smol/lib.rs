//! smol as it is, with a [`spawn`] that reports what its tasks do.

use std::future::Future;

pub use smol::*;

/// Spawns a task that reports.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Task<T> {
    smol::spawn(observed_trace::task(future))
}
