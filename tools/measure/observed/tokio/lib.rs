//! tokio as it is, with a [`spawn`] that reports what its tasks do.

use std::future::Future;

pub use tokio::*;

/// Spawns a task that reports.
pub fn spawn<F>(future: F) -> tokio::task::JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(observed_trace::task(future))
}
