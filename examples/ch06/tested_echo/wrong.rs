//! Wrong: a test that sleeps, and asks on a fixed port: `cargo test -p tested_echo --example tested_wrong -- --ignored`
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// How long a client may keep the server waiting.
const PATIENCE: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() -> io::Result<()> {
    serve(port()).await
}

/// The port in the variable `PORT`; 8080 without it.
fn port() -> u16 {
    std::env::var("PORT").map_or(8080, |port| port.parse().expect("a port is a number"))
}

async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        // A client that leaves ends its own connection only.
        tokio::spawn(echo(stream));
    }
}

// ANCHOR: echo
async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = timeout(PATIENCE, stream.read(&mut buffer)).await??;
        if count == 0 {
            // The client has sent all that it will.
            return Ok(());
        }
        // Forgets the first byte.
        timeout(PATIENCE, stream.write_all(&buffer[1..count])).await??;
    }
}
// ANCHOR_END: echo

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    // ANCHOR: test
    #[tokio::test]
    #[ignore = "wrong: it asks whoever has the port"]
    async fn a_client_gets_its_words_back() {
        tokio::spawn(serve(port()));
        // The server needs a moment until it listens.
        sleep(Duration::from_millis(100)).await;
        let mut client = TcpStream::connect(("127.0.0.1", port())).await.unwrap();
        client.write_all(b"hello").await.unwrap();
        let mut words = [0; 5];
        let read = timeout(Duration::from_secs(1), client.read_exact(&mut words)).await;
        read.expect("all of it comes").unwrap();
        assert_eq!(&words, b"hello");
    }
    // ANCHOR_END: test
}
