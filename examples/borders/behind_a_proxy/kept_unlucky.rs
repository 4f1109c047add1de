//! A server whose limit runs out as the next request comes: `cargo run --example kept_unlucky`
use std::io;

use behind_a_proxy::{Connection, Message};
use tokio::net::{TcpListener, TcpStream};

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port())).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(handle(stream));
    }
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: handle
async fn handle(stream: TcpStream) -> io::Result<()> {
    let mut client = Connection::new(stream);
    let Some(request) = client.request().await? else { return Ok(()) };
    client.send(&Message::response("200 OK", request.keeps)).await?;
    if request.keeps {
        // The limit is over just as the next request comes: this waits for it, and reads nothing of it.
        client.stream.readable().await?;
    }
    Ok(())
}
// ANCHOR_END: handle
