//! Wrong: an echo server that reads and writes in two tasks, with a queue between them: `cargo run --example echo_queue`
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Receiver, Sender};

#[tokio::main]
async fn main() -> io::Result<()> {
    serve(port()).await
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

async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        echo(stream);
    }
}

// ANCHOR: echo
fn echo(stream: TcpStream) {
    let (reader, writer) = stream.into_split();
    let (pieces, taken) = mpsc::channel(64);
    tokio::spawn(read(reader, pieces));
    tokio::spawn(write(writer, taken));
}

async fn read(mut reader: OwnedReadHalf, pieces: Sender<Vec<u8>>) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = reader.read(&mut buffer).await?;
        // Fails if the writer has ended.
        if count == 0 || pieces.send(buffer[..count].to_vec()).await.is_err() {
            return Ok(());
        }
    }
}

async fn write(mut writer: OwnedWriteHalf, mut pieces: Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(piece) = pieces.recv().await {
        writer.write_all(&piece).await?;
    }
    Ok(())
}
// ANCHOR_END: echo
