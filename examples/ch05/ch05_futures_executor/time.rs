//! Sleeps, time limits and a yield budget: what a runtime brings along, and an executor doesn't.

use std::net::TcpStream;
use std::{io, pin::pin, time::Duration};

use async_io::{Async, Timer};
use futures::future::{self, Either};
use site::WRITE_TIME;

/// After so many responses on one connection its task yields.
const BUDGET: u32 = 16;

/// Waits this long.
pub async fn sleep(pause: Duration) {
    Timer::after(pause).await;
}

// ANCHOR: timeout
/// Returns the output of `future`, or an error if `limit` is over first. The loser is dropped.
pub async fn timeout<T>(
    limit: Duration,
    future: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match future::select(pin!(future), Timer::after(limit)).await {
        Either::Left((output, _timer)) => output,
        Either::Right(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
// ANCHOR_END: timeout

// ANCHOR: budget
/// Counts the responses on one connection.
#[derive(Default)]
pub struct YieldBudget(u32);

impl YieldBudget {
    /// Lets the other tasks go first, after every sixteenth response. Without it a client that
    /// never pauses would keep this thread.
    ///
    /// A task that wakes itself won't do: this executor polls it again immediately, so the reactor
    /// has to wake it, once it sees that the socket can be written to. That takes a journey to
    /// another thread and back, which would be too slow after each response.
    pub async fn give_way(&mut self, stream: &Async<TcpStream>) -> io::Result<()> {
        self.0 = (self.0 + 1) % BUDGET;
        if self.0 == 0 {
            timeout(WRITE_TIME, stream.writable()).await?;
        }
        Ok(())
    }
}
// ANCHOR_END: budget
