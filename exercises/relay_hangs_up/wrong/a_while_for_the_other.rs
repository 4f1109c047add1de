// Wrong: when one direction has ended, gives the other a fixed time, however much still comes.
// The check says: breaks off

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, sleep, timeout};

/// Passes on what the two say to each other, until both directions have ended.
///
/// # Errors
/// When a direction fails, and when neither has passed on a byte for `patience`.
pub async fn relay<C, S>(client: C, server: S, patience: Duration) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (from_client, to_client) = split(client);
    let (from_server, to_server) = split(server);
    let last = &Mutex::new(Instant::now());
    let mut there = pin!(pass(from_client, to_server, last));
    let mut back = pin!(pass(from_server, to_client, last));
    tokio::select! {
        ended = &mut there => {
            ended?;
            timeout(patience, back).await?
        }
        ended = &mut back => {
            ended?;
            timeout(patience, there).await?
        }
        () = silence(last, patience) => Err(ErrorKind::TimedOut.into()),
    }
}

/// One direction: all that comes, and then its end. Notes when it has passed something on.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    last: &Mutex<Instant>,
) -> io::Result<()> {
    let mut buffer = vec![0; 8192];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..count]).await?;
        *last.lock().expect("nobody panics with it") = Instant::now();
    }
}

/// Waits until the last byte was passed on so long ago.
async fn silence(last: &Mutex<Instant>, patience: Duration) {
    loop {
        let since = last.lock().expect("nobody panics with it").elapsed();
        match patience.checked_sub(since) {
            Some(rest) if !rest.is_zero() => sleep(rest).await,
            _ => return,
        }
    }
}
