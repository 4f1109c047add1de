//! The echo server with a time limit, and its tests: `cargo test -p tested_echo`
use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// How long a client may keep the server waiting.
const PATIENCE: Duration = Duration::from_secs(3);

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port())).await?;
    println!("listening on {}", listener.local_addr()?);
    serve(listener).await
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
async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(echo(stream));
    }
}
// ANCHOR_END: serve

// ANCHOR: echo
async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = timeout(PATIENCE, stream.read(&mut buffer)).await??;
        if count == 0 {
            // The client has sent all that it will.
            return Ok(());
        }
        timeout(PATIENCE, stream.write_all(&buffer[..count])).await??;
    }
}
// ANCHOR_END: echo

#[cfg(test)]
mod tests {
    use tokio::io::duplex;
    use tokio::net::TcpStream;
    use tokio::time::Instant;

    use super::*;

    // ANCHOR: echoes
    #[tokio::test]
    async fn a_client_gets_its_words_back() {
        let (mut client, server) = duplex(64);
        let served = tokio::spawn(echo(server));
        client.write_all(b"hello").await.unwrap();
        let mut words = [0; 5];
        client.read_exact(&mut words).await.unwrap();
        assert_eq!(&words, b"hello");
        // The client leaves, and that ends the handler.
        drop(client);
        served.await.unwrap().unwrap();
    }
    // ANCHOR_END: echoes

    // ANCHOR: silent
    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_disconnected() {
        let (_client, server) = duplex(64);
        let start = Instant::now();
        let error = echo(server).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= PATIENCE);
    }
    // ANCHOR_END: silent

    // ANCHOR: takes_nothing
    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_disconnected() {
        let (mut client, server) = duplex(64);
        let served = tokio::spawn(echo(server));
        // More than the 64 bytes that are under way to it.
        for _ in 0..3 {
            client.write_all(&[b'x'; 64]).await.unwrap();
        }
        let error = served.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
    // ANCHOR_END: takes_nothing

    // ANCHOR: socket
    #[tokio::test]
    async fn clients_are_served_over_real_sockets() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener));
        let mut silent = TcpStream::connect(address).await.unwrap();
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"hello").await.unwrap();
        // It has no more to say: the server sees the end, and ends as well.
        client.shutdown().await.unwrap();
        let mut words = String::new();
        client.read_to_string(&mut words).await.unwrap();
        assert_eq!(words, "hello");
        // The client in front of it is still there.
        silent.write_all(b"me too").await.unwrap();
        let mut words = [0; 6];
        silent.read_exact(&mut words).await.unwrap();
        assert_eq!(&words, b"me too");
    }
    // ANCHOR_END: socket
}
