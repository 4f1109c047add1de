// Wrong: waits for both directions, for as long as they like.
// The check says: the pair says nothing, and the relay goes on

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};

/// Passes on what the two say to each other, until both directions have ended.
///
/// # Errors
/// When a direction fails, and when neither has passed on a byte for `patience`.
pub async fn relay<C, S>(mut client: C, mut server: S, _patience: Duration) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
