// Wrong: never uses a connection that was kept.
// The check says: the kept one to be used

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a request on the kept connection, or on a new one where there is none, and returns the answer, which is one line.
///
/// # Errors
/// That of the connection on which the request, or its answer, was lost.
pub async fn ask(
    kept: Option<TcpStream>,
    server: SocketAddr,
    request: &str,
) -> io::Result<Vec<u8>> {
    // A new connection can't have been closed.
    drop(kept);
    let mut answer = Vec::new();
    let stream = TcpStream::connect(server).await?;
    exchange(stream, request, &mut answer).await?;
    Ok(answer)
}

/// Sends a request and reads the answer. What has come of it is in `answer`, also after an error.
async fn exchange(mut stream: TcpStream, request: &str, answer: &mut Vec<u8>) -> io::Result<()> {
    stream.write_all(request.as_bytes()).await?;
    while !answer.ends_with(b"\n") {
        if stream.read_buf(answer).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}
