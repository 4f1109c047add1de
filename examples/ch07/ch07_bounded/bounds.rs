//! The bounds of rung 7, and the answer to a client beyond each.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use site::{Connection, Step, compute};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::bound::{Bound, Busy};
use crate::limits::Limits;

// ANCHOR: bounds
/// The bounds of one server: connections, and three kinds of work that don't wait for each other.
pub struct Bounds {
    connections: Arc<Semaphore>,
    sleeping: Bound,
    reading: Bound,
    computing: Bound,
    deadline: Duration,
}

impl Bounds {
    pub fn new(limits: &Limits) -> Bounds {
        let bound = |permits| Bound::new(permits, limits.queue, limits.patience);
        Bounds {
            connections: Arc::new(Semaphore::new(limits.connections)),
            sleeping: bound(limits.sleeping),
            reading: bound(limits.reading),
            computing: bound(limits.computing),
            deadline: limits.deadline,
        }
    }
    // ANCHOR_END: bounds

    // ANCHOR: accept
    /// Waits for a permit, and then for a client to take it. Both may be dropped while they wait.
    pub async fn accept(
        &self,
        listener: &TcpListener,
    ) -> (OwnedSemaphorePermit, io::Result<TcpStream>) {
        let permit = Arc::clone(&self.connections).acquire_owned().await.expect("nobody closes it");
        let accepted = listener.accept().await;
        (permit, accepted.map(|(stream, _)| stream))
    }
    // ANCHOR_END: accept

    // ANCHOR: work
    /// Does the work that `step` asks for, or tells the client that it won't be done.
    pub async fn work(&self, connection: &mut Connection<'_>, step: Step) {
        match timeout(self.deadline, self.bounded(connection, step)).await {
            Ok(Ok(())) => {}
            Ok(Err(Busy)) => connection.given_up("too many requests want this. Try again later."),
            Err(_elapsed) => connection.given_up("this has taken too long."),
        }
    }

    /// Waits for a permit of this kind of work, and does it.
    async fn bounded(&self, connection: &mut Connection<'_>, step: Step) -> Result<(), Busy> {
        match step {
            Step::Sleep(pause) => self.sleep(pause).await?,
            Step::ReadFile(path) => connection.file_read(self.read(path).await?),
            Step::Compute(rounds) => connection.computed(self.compute(rounds).await?),
            other => unreachable!("{other:?} is no work"),
        }
        Ok(())
    }

    async fn sleep(&self, pause: Duration) -> Result<(), Busy> {
        let _permit = self.sleeping.permit().await?;
        sleep(pause).await;
        Ok(())
    }

    async fn read(&self, path: &'static Path) -> Result<io::Result<Vec<u8>>, Busy> {
        let permit = self.reading.permit().await?;
        Ok(on_a_thread(permit, move || fs::read(path)).await)
    }

    async fn compute(&self, rounds: u32) -> Result<String, Busy> {
        let permit = self.computing.permit().await?;
        Ok(on_a_thread(permit, move || compute(rounds)).await)
    }
    // ANCHOR_END: work
}

// ANCHOR: thread
/// Does `work` on a thread for such calls, which keeps the permit: after a deadline it goes on.
async fn on_a_thread<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let works = spawn_blocking(move || {
        let result = work();
        // Not before: another would begin next to it.
        drop(permit);
        result
    });
    works.await.expect("it doesn't panic, and is not aborted")
}
// ANCHOR_END: thread
