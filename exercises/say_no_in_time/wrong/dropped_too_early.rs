// Wrong: gives the permit back before the answer begins, so nobody is ever without one.
// The check says: 503 for a client that gets no permit

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time;

/// Serves clients forever; so many may be served at the same time.
pub fn serve(listener: TcpListener, permits: usize, patience: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        let permits = Arc::new(Semaphore::new(permits));
        loop {
            let Ok((stream, _)) = listener.accept().await else { return };
            let permits = Arc::clone(&permits);
            tokio::spawn(async move {
                // A client that leaves ends its own connection only.
                let _ = handle(stream, &permits, patience).await;
            });
        }
    });
}

async fn handle(mut stream: TcpStream, permits: &Semaphore, patience: Duration) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut length = 0;
    // Until the empty line has come, in however many pieces.
    while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
        if length == buffer.len() {
            // The request is too long.
            return Ok(());
        }
        let count = stream.read(&mut buffer[length..]).await?;
        if count == 0 {
            // The client has left.
            return Ok(());
        }
        length += count;
    }
    if !matches!(time::timeout(patience, permits.acquire()).await, Ok(Ok(_))) {
        return refuse(&mut stream).await;
    }
    if buffer.starts_with(b"GET /sleep ") {
        time::sleep(Duration::from_secs(2)).await;
    }
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    stream.write_all(response).await
}

async fn refuse(stream: &mut TcpStream) -> io::Result<()> {
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close";
    stream.write_all(format!("{head}\r\n\r\n").as_bytes()).await
}
