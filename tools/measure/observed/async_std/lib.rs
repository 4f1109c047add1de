//! async-std as it is, with a [`task::spawn`] that reports what its tasks do.

pub use async_std::*;

/// async-std's tasks.
pub mod task {
    use std::future::Future;

    pub use async_std::task::*;

    /// Spawns a task that reports.
    pub fn spawn<F, T>(future: F) -> JoinHandle<T>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        async_std::task::spawn(observed_trace::task(future))
    }
}
