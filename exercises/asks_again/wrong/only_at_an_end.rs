// Wrong: repeats after an end but not after a reset.
// The check says: asked again

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
    let mut answer = Vec::new();
    if let Some(stream) = kept {
        match exchange(stream, request, &mut answer).await {
            Ok(()) => return Ok(answer),
            // The server may have closed it before the request came.
            Err(error)
                if error.kind() == ErrorKind::UnexpectedEof
                    && answer.is_empty()
                    && is_idempotent(request) => {}
            Err(error) => return Err(error),
        }
    }
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

/// Whether it does the same however often it is carried out (RFC 9110, section 9.2.2).
fn is_idempotent(request: &str) -> bool {
    let method = request.split(' ').next();
    matches!(method, Some("GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE"))
}
