// Wrong: puts one limit around both directions, from beginning to end.
// The check says: breaks off

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::time::timeout;

/// Passes on what the two say to each other, until both directions have ended.
///
/// # Errors
/// When a direction fails, and when neither has passed on a byte for `patience`.
pub async fn relay<C, S>(mut client: C, mut server: S, patience: Duration) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    timeout(patience, copy_bidirectional(&mut client, &mut server)).await??;
    Ok(())
}
