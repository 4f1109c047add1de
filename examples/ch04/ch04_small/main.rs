//! A task for each connection, on async-std: `cargo run --example ch04_small`
use std::time::Duration;

use async_std::io::{self, ReadExt, WriteExt};
use async_std::net::{TcpListener, TcpStream};
use async_std::task;

// ANCHOR: main
fn main() -> io::Result<()> {
    task::block_on(serve(port()))
}
// ANCHOR_END: main

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: serve
async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        task::spawn(handle(stream));
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
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
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    stream.write_all(response).await
}
// ANCHOR_END: handle
