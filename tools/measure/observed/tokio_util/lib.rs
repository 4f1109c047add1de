//! tokio-util as it is, with a [`task::TaskTracker`] that reports what its tasks do.

pub use tokio_util::*;

/// tokio-util's helpers for tasks.
pub mod task {
    use std::future::Future;

    use tokio::task::JoinHandle;
    pub use tokio_util::task::*;

    /// tokio-util's tracker, which also reports.
    #[derive(Clone, Debug, Default)]
    pub struct TaskTracker(tokio_util::task::TaskTracker);

    impl TaskTracker {
        /// One without tasks, which is open.
        pub fn new() -> TaskTracker {
            TaskTracker::default()
        }

        /// Spawns a task that reports.
        pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
        where
            F: Future + Send + 'static,
            F::Output: Send + 'static,
        {
            self.0.spawn(observed_trace::task(future))
        }

        /// Lets `wait` end when no task is left.
        pub fn close(&self) -> bool {
            self.0.close()
        }

        /// Waits until the tracker is closed and no task is left.
        pub async fn wait(&self) {
            self.0.wait().await;
        }
    }
}
