//! futures as it is, with a [`executor::ThreadPool`] that reports what its tasks do.

pub use futures::*;

/// futures' executors.
pub mod executor {
    use std::{future::Future, io};

    pub use futures::executor::*;

    /// futures' pool of threads, which also reports.
    #[derive(Clone, Debug)]
    pub struct ThreadPool(futures::executor::ThreadPool);

    impl ThreadPool {
        /// Begins to describe a pool.
        pub fn builder() -> ThreadPoolBuilder {
            ThreadPoolBuilder(futures::executor::ThreadPool::builder())
        }

        /// Spawns a task that reports.
        pub fn spawn_ok(&self, future: impl Future<Output = ()> + Send + 'static) {
            self.0.spawn_ok(observed_trace::task(future));
        }
    }

    /// The description of a pool.
    #[derive(Debug)]
    pub struct ThreadPoolBuilder(futures::executor::ThreadPoolBuilder);

    impl ThreadPoolBuilder {
        /// Sets the number of its threads.
        pub fn pool_size(&mut self, size: usize) -> &mut ThreadPoolBuilder {
            self.0.pool_size(size);
            self
        }

        /// Starts it. Fails when the system has no more threads to give.
        pub fn create(&mut self) -> io::Result<ThreadPool> {
            self.0.create().map(ThreadPool)
        }
    }
}
