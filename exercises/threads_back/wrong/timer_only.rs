// Wrong: the reactor has the timer, but a silent client still blocks a read of the standard library.
// The check says: while 32 clients are silent

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use async_io::Timer;
use blocking::unblock;
use futures::executor::{ThreadPool, block_on};

/// Reads a file from a slow disk. It is somebody else's, and it blocks.
pub type ReadFile = Arc<dyn Fn() -> String + Send + Sync>;

/// Serves clients until accepting fails.
pub fn serve(listener: TcpListener, pause: Duration, read_file: ReadFile) {
    let executor = ThreadPool::builder().pool_size(4).create();
    let executor = executor.expect("the system has four threads to give");
    block_on(async {
        while let Ok((stream, _)) = listener.accept() {
            let read_file = Arc::clone(&read_file);
            executor.spawn_ok(async move {
                // A client that leaves ends its own connection only.
                let _ = handle(stream, pause, read_file).await;
            });
        }
    });
}

async fn handle(mut stream: TcpStream, pause: Duration, read_file: ReadFile) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut length = 0;
    // Until the empty line has come, in however many pieces.
    while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
        if length == buffer.len() {
            // The request is too long.
            return Ok(());
        }
        let count = stream.read(&mut buffer[length..])?;
        if count == 0 {
            // The client has left.
            return Ok(());
        }
        length += count;
    }
    if buffer.starts_with(b"GET /sleep ") {
        Timer::after(pause).await;
    }
    let body = if buffer.starts_with(b"GET /file ") {
        unblock(move || read_file()).await
    } else {
        "hello\n".to_owned()
    };
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes())
}
