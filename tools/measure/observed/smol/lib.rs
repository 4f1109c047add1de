//! smol as it is, with an [`Executor`] that reports what its tasks do.

use std::future::Future;

pub use smol::*;

/// smol's executor, which also reports.
#[derive(Debug)]
pub struct Executor<'a>(smol::Executor<'a>);

impl<'a> Executor<'a> {
    /// One without tasks.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Executor<'a> {
        Executor(smol::Executor::new())
    }

    /// Spawns a task that reports.
    pub fn spawn<T: Send + 'a>(&self, future: impl Future<Output = T> + Send + 'a) -> Task<T> {
        self.0.spawn(observed_trace::task(future))
    }

    /// Polls tasks until `future` is ready.
    pub async fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.run(future).await
    }
}
