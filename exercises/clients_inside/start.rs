// Count the clients inside.
//
// This is the small server of chapter 4, with a page that panics. A task that waits holds no thread, so nobody sees how many
// there are.
//
// Your turn: let the response say it: "3 inside\n" while three clients are connected, the one that asks among them. A
// client counts from its `accept` until its task ends, whatever ends it: its last line, a client that leaves, or a panic.

use std::time::Duration;

use async_std::io::{self, ReadExt, WriteExt};
use async_std::net::{TcpListener, TcpStream};
use async_std::task;

/// Serves clients until accepting fails.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        task::spawn(handle(stream));
    }
}

async fn handle(mut stream: TcpStream) -> io::Result<()> {
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
    let body = "1 inside\n";
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}
