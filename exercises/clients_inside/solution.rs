// Count the clients inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_std::io::{self, ReadExt, WriteExt};
use async_std::net::{TcpListener, TcpStream};
use async_std::task;

/// A client that is connected, until this is dropped.
struct Inside(Arc<AtomicUsize>);

impl Inside {
    /// Counts one more.
    fn new(count: &Arc<AtomicUsize>) -> Inside {
        count.fetch_add(1, Ordering::Relaxed);
        Inside(Arc::clone(count))
    }

    /// How many are connected.
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves clients until accepting fails.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    let count = Arc::new(AtomicUsize::new(0));
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        task::spawn(handle(stream, Inside::new(&count)));
    }
}

async fn handle(mut stream: TcpStream, inside: Inside) -> io::Result<()> {
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
    let body = format!("{} inside\n", inside.count());
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}
