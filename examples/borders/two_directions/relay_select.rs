//! Wrong: a relay that ends with the direction that ends first: `cargo run --example relay_select`
use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};

#[tokio::main]
async fn main() -> io::Result<()> {
    let (port, server) = ports();
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (client, _) = listener.accept().await?;
        // An error ends its own pair of connections only.
        tokio::spawn(relay(client, server));
    }
}

/// Where clients come, and where the server is: `--port` and `--to`, 8000 and 8080 without them.
fn ports() -> (u16, u16) {
    let mut ports = (8000, 8080);
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        match pair {
            [option, number] if option == "--port" => {
                ports.0 = number.parse().expect("a port is a number")
            }
            [option, number] if option == "--to" => {
                ports.1 = number.parse().expect("a port is a number")
            }
            _ => panic!("the options are `--port N` and `--to N`"),
        }
    }
    ports
}

// ANCHOR: relay
async fn relay(mut client: TcpStream, server: u16) -> io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", server)).await?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        there = pass(from_client, to_server) => there,
        back = pass(from_server, to_client) => back,
    }
}

/// Passes on one direction: all that comes, and then its end.
async fn pass(mut from: ReadHalf<'_>, mut to: WriteHalf<'_>) -> io::Result<()> {
    tokio::io::copy(&mut from, &mut to).await?;
    to.shutdown().await
}
// ANCHOR_END: relay
