//! Each client gets back what it sends: `cargo run --example tokio_echo`
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    serve(port()).await
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
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, client) = listener.accept().await?;
        tokio::spawn(async move {
            // A client that fails ends its own connection only.
            if let Err(error) = echo(stream).await {
                eprintln!("{client}: {error}");
            }
        });
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
