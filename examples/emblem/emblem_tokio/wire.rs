//! Reading and writing, the same at each stop on Tokio. It is generic, so a test can use it without a socket.
use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::http;

/// How long a client may take for its head, and as long again for taking the response.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the server still reads what a client sends behind its head, and how much of it.
const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_READS: usize = 64;

/// How the reading of a head ends.
pub enum Head {
    Whole,
    /// The client has left, or has not said a word in its time.
    Missing,
    /// What came is refused with this status.
    Refused(&'static str),
}

/// Reads a head into `head`.
///
/// # Errors
/// When the connection breaks.
pub async fn read_head(
    stream: &mut (impl AsyncRead + Unpin),
    head: &mut Vec<u8>,
) -> io::Result<Head> {
    // What has come outlives the future that the limit drops, because it belongs to the caller.
    match timeout(PATIENCE, read_until_whole(stream, head)).await {
        Ok(read) => read,
        Err(_elapsed) if head.is_empty() => Ok(Head::Missing),
        Err(_elapsed) => Ok(Head::Refused("408 Request Timeout")),
    }
}

async fn read_until_whole(
    stream: &mut (impl AsyncRead + Unpin),
    head: &mut Vec<u8>,
) -> io::Result<Head> {
    let mut buffer = [0; 1024];
    loop {
        match http::is_whole(head) {
            Ok(true) => return Ok(Head::Whole),
            Ok(false) => {}
            Err(status) => return Ok(Head::Refused(status)),
        }
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(Head::Missing);
        }
        head.extend_from_slice(&buffer[..count]);
    }
}

/// Writes a response.
///
/// # Errors
/// When the connection breaks, or the client takes too long.
pub async fn write(stream: &mut (impl AsyncWrite + Unpin), response: &[u8]) -> io::Result<()> {
    timeout(PATIENCE, stream.write_all(response)).await?
}

/// Ends a connection so that the client has all that was written.
///
/// # Errors
/// When the connection breaks.
pub async fn end(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    // No more comes from here; what still comes from there is thrown away, or it would reset the connection.
    stream.shutdown().await?;
    // A client that is late with its end, or resets, has its response.
    let _ = timeout(DRAIN, drain(stream)).await;
    Ok(())
}

async fn drain(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
    let mut buffer = [0; 1024];
    for _ in 0..DRAIN_READS {
        if stream.read(&mut buffer).await? == 0 {
            break;
        }
    }
    Ok(())
}
