// Give the threads back.
//
// This is chapter 5's small server with calls that block, and with a page that comes from a slow disk. Each connection has a
// task, and the executor has four threads. But four clients that wait hold all of them.
//
// Your turn: let no client that waits hold a thread of the executor: neither one that is silent, nor one that sleeps, nor
// one that waits for its file. The executor keeps its four threads. `async_io` has sockets and timers, `blocking` has threads
// that may block.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

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
        thread::sleep(pause);
    }
    let body = if buffer.starts_with(b"GET /file ") { read_file() } else { "hello\n".to_owned() };
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes())
}
