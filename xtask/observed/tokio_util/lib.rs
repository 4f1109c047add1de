//! tokio-util as it is, with a [`task::TaskTracker`] that reports what its tasks do.

pub use tokio_util::*;

/// tokio-util's tasks.
pub mod task {
    use std::{future::Future, ops::Deref};

    pub use tokio_util::task::*;

    /// tokio-util's tracker, whose tasks also report.
    #[derive(Clone, Debug)]
    pub struct TaskTracker(tokio_util::task::TaskTracker);

    impl TaskTracker {
        /// A tracker without a task.
        #[expect(clippy::new_without_default, reason = "no rung asks for one")]
        pub fn new() -> TaskTracker {
            TaskTracker(tokio_util::task::TaskTracker::new())
        }

        /// Spawns a task that reports. What a rung needs of the handle is that it may be dropped.
        pub fn spawn<F>(&self, future: F)
        where
            F: Future + Send + 'static,
            F::Output: Send + 'static,
        {
            self.0.spawn(observed_trace::task(future));
        }
    }

    impl Deref for TaskTracker {
        type Target = tokio_util::task::TaskTracker;

        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
}
