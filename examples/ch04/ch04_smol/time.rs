//! Sleeps and time limits, made of smol's timer.

use std::{io, time::Duration};

use smol::{Timer, future};

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
    let too_late = async {
        Timer::after(limit).await;
        Err(io::Error::from(io::ErrorKind::TimedOut))
    };
    // Polls the first, then the second: it returns the output that is ready first.
    future::or(future, too_late).await
}
// ANCHOR_END: timeout
