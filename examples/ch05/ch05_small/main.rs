//! A task for each connection, on an executor and a reactor: `cargo run --example ch05_small`
use std::io;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use async_io::{Async, Timer};
use futures::executor::{ThreadPool, block_on};
use futures::io::{AsyncReadExt, AsyncWriteExt};

// ANCHOR: main
fn main() -> io::Result<()> {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().expect("a port"));
    block_on(serve(port))
}
// ANCHOR_END: main

// ANCHOR: serve
async fn serve(port: u16) -> io::Result<()> {
    let listener = Async::<TcpListener>::bind(([127, 0, 0, 1], port))?;
    println!("listening on http://{}/", listener.get_ref().local_addr()?);
    let executor = ThreadPool::new()?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => executor.spawn_ok(async {
                // A client that leaves ends its own connection only.
                let _ = handle(stream).await;
            }),
            Err(error) => {
                eprintln!("no connection: {error}");
                Timer::after(Duration::from_millis(100)).await;
            }
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(mut stream: Async<TcpStream>) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut length = 0;
    // Until the empty line has come, in however many pieces.
    while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut buffer[length..]).await?;
        length += count;
        if count == 0 || length == buffer.len() {
            // The client has left, or its request is too long.
            return Ok(());
        }
    }
    let body = if buffer.starts_with(b"GET /sleep ") {
        Timer::after(Duration::from_secs(2)).await;
        "slept\n"
    } else {
        "hello\n"
    };
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let response = format!("{head}{body}");
    stream.write_all(response.as_bytes()).await
}
// ANCHOR_END: handle
