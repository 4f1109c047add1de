//! Each client gets back what it sends: `cargo run --example tokio_echo`
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().expect("a port"));
    serve(port).await
}
// ANCHOR_END: main

// ANCHOR: serve
async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(echo(stream));
    }
}
// ANCHOR_END: serve

// ANCHOR: echo
async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            // The client has sent all that it will.
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await?;
    }
}
// ANCHOR_END: echo
