//! A server that keeps connections: `cargo run --example kept`
use std::io;
use std::time::Duration;

use behind_a_proxy::Connection;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

#[tokio::main]
async fn main() -> io::Result<()> {
    let (port, idle) = options();
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(handle(stream, idle));
    }
}

/// The port, and how long a client may be silent: `--port` and `--idle`, 8080 and 5 seconds without them.
fn options() -> (u16, Duration) {
    let mut options = (8080, Duration::from_secs(5));
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        match pair {
            [option, number] if option == "--port" => {
                options.0 = number.parse().expect("a port is a number")
            }
            [option, number] if option == "--idle" => {
                options.1 = Duration::from_secs_f64(number.parse().expect("seconds are a number"));
            }
            _ => panic!("the options are `--port N` and `--idle SECONDS`"),
        }
    }
    options
}

// ANCHOR: handle
async fn handle(stream: TcpStream, idle: Duration) -> io::Result<()> {
    let mut client = Connection::new(stream);
    // Until nothing has come for too long.
    while let Ok(request) = timeout(idle, client.request()).await {
        // Or until the client has closed, which is `None`.
        let Some(request) = request? else { break };
        answer(&mut client.stream, request.keeps).await?;
        if !request.keeps {
            break;
        }
    }
    Ok(())
}
// ANCHOR_END: handle

// ANCHOR: answer
/// Sends an answer, head and body.
pub async fn answer(client: &mut (impl AsyncWrite + Unpin), keeps: bool) -> io::Result<()> {
    let connection = if keeps { "keep-alive" } else { "close" };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: {connection}\r\n\r\n");
    client.write_all(head.as_bytes()).await?;
    client.write_all(b"hello\n").await
}
// ANCHOR_END: answer
