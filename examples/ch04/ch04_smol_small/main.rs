//! A task for each connection, on smol: `cargo run --example ch04_smol_small`
use std::time::Duration;

use smol::Timer;
use smol::io::{self, AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};

// ANCHOR: main
fn main() -> io::Result<()> {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().expect("a port"));
    smol::block_on(serve(port))
}
// ANCHOR_END: main

// ANCHOR: serve
async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // A client that leaves ends its own connection only.
                smol::spawn(handle(stream)).detach();
            }
            Err(error) => {
                eprintln!("no connection: {error}");
                Timer::after(Duration::from_millis(100)).await;
            }
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(mut stream: TcpStream) -> io::Result<()> {
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
