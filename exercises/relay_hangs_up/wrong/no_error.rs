// Wrong: gives a silent pair up as if both had ended.
// The check says: gave a silent pair up with `Ok`

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, sleep};

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
    let both = async {
        tokio::try_join!(pass(from_client, to_server, last), pass(from_server, to_client, last))
    };
    tokio::select! {
        ended = both => ended.map(|_| ()),
        () = silence(last, patience) => Ok(()),
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
