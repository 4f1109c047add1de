// Wrong: counts down in a line behind the handler, which a panic never reaches.
// The check says: after the task of a client has panicked

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_std::io::{self, ReadExt, WriteExt};
use async_std::net::{TcpListener, TcpStream};
use async_std::task;

/// Serves clients until accepting fails.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    let inside = Arc::new(AtomicUsize::new(0));
    loop {
        let (stream, _) = listener.accept().await?;
        let inside = Arc::clone(&inside);
        inside.fetch_add(1, Ordering::Relaxed);
        task::spawn(async move {
            // A client that leaves ends its own connection only.
            let _ = handle(stream, &inside).await;
            // However it has ended.
            inside.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

async fn handle(mut stream: TcpStream, inside: &AtomicUsize) -> io::Result<()> {
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
    if buffer.starts_with(b"GET /sleep ") {
        task::sleep(Duration::from_secs(2)).await;
    }
    if buffer.starts_with(b"GET /panic ") {
        panic!("this page is meant to panic");
    }
    let body = format!("{} inside\n", inside.load(Ordering::Relaxed));
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}
