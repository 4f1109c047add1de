//! The relay with Tokio's own function: `cargo run --example relay_copy`
use std::io;

use tokio::io::copy_bidirectional;
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
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
// ANCHOR_END: relay
