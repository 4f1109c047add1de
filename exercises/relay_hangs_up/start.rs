// Find out why the relay hangs up.
//
// Some clients get no answer, and a slow answer breaks off.
//
// Your turn: find out who ends what, and what the time limit measures.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::timeout;

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
    tokio::select! {
        there = pass(from_client, to_server, patience) => there,
        back = pass(from_server, to_client, patience) => back,
    }
}

/// One direction: all that comes, and then its end.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    patience: Duration,
) -> io::Result<()> {
    let mut buffer = vec![0; 8192];
    loop {
        let count = timeout(patience, from.read(&mut buffer)).await??;
        if count == 0 {
            return to.shutdown().await;
        }
        timeout(patience, to.write_all(&buffer[..count])).await??;
    }
}
