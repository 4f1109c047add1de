//! What rung 7 bounds, and what a client gets beyond each bound.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use site::{Connection, Step, compute};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

// ANCHOR: bounds
/// The bounds of one server. A permit is a place, which is free again when the permit is dropped.
pub struct Bounds {
    connections: Arc<Semaphore>,
    in_flight: Arc<Semaphore>,
    computing: Arc<Semaphore>,
    patience: Duration,
    deadline: Duration,
}
// ANCHOR_END: bounds

impl Bounds {
    /// As the command line has them.
    pub fn new(bounds: site::Bounds) -> Arc<Bounds> {
        Arc::new(Bounds {
            connections: Arc::new(Semaphore::new(bounds.connections)),
            in_flight: Arc::new(Semaphore::new(bounds.in_flight)),
            computing: Arc::new(Semaphore::new(bounds.computing)),
            patience: bounds.patience,
            deadline: bounds.deadline,
        })
    }

    // ANCHOR: accept
    /// Waits for a place, and then for a client to take it. Both may be dropped while they wait.
    pub async fn accept(
        &self,
        listener: &TcpListener,
    ) -> (OwnedSemaphorePermit, io::Result<TcpStream>) {
        let place = permit(&self.connections).await;
        let accepted = listener.accept().await;
        (place, accepted.map(|(stream, _)| stream))
    }
    // ANCHOR_END: accept

    // ANCHOR: work
    /// Does the work that `step` asks for, or tells the client that it won't be done.
    pub async fn work(&self, connection: &mut Connection<'_>, step: Step) {
        let done = timeout(self.deadline, self.in_turn(connection, step)).await;
        if done.is_err() {
            connection.given_up("this has taken too long.");
        }
    }

    /// Waits for its turn, but not longer than a client would, and does the work.
    async fn in_turn(&self, connection: &mut Connection<'_>, step: Step) {
        let Ok(turn) = timeout(self.patience, permit(&self.in_flight)).await else {
            return connection.given_up("too many requests are in flight. Try again later.");
        };
        match step {
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(read(path, turn).await),
            Step::Compute(rounds) => connection.computed(self.compute(rounds).await),
            other => unreachable!("{other:?} is no work"),
        }
    }
    // ANCHOR_END: work

    // ANCHOR: compute
    /// Computes on a thread for it, of which there are no more than permits.
    async fn compute(&self, rounds: u32) -> String {
        let thread = permit(&self.computing).await;
        let computes = spawn_blocking(move || {
            let result = compute(rounds);
            // Not before: a computation can't be dropped, so after a deadline it goes on.
            drop(thread);
            result
        });
        computes.await.expect("it doesn't panic, and is not aborted")
    }
    // ANCHOR_END: compute
}

// ANCHOR: read
/// Reads a file on a thread for such calls, which keeps the turn: after a deadline the read goes on.
async fn read(path: &'static Path, turn: OwnedSemaphorePermit) -> io::Result<Vec<u8>> {
    let reads = spawn_blocking(move || {
        let contents = fs::read(path);
        drop(turn);
        contents
    });
    reads.await.expect("it doesn't panic, and is not aborted")
}
// ANCHOR_END: read

/// Waits for a permit that may be carried to another task or thread.
async fn permit(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(semaphore).acquire_owned().await.expect("nobody closes it")
}
