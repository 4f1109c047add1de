//! A chat room in which a slow listener misses lines: `cargo run --example room_drop`
use std::io;
use std::sync::Arc;

use futures::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use tokio_util::codec::{FramedRead, LinesCodec};

/// How many lines the room keeps.
const QUEUE: usize = 64;

/// No line is longer.
const LONGEST: usize = 4096;

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port())).await?;
    println!("listening on {}", listener.local_addr()?);
    let (room, _) = broadcast::channel(QUEUE);
    loop {
        let (stream, _) = listener.accept().await?;
        // A member that leaves ends its own connection only.
        tokio::spawn(member(stream, room.clone()));
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

// ANCHOR: member
async fn member(stream: TcpStream, room: Sender<Arc<str>>) -> io::Result<()> {
    let (reader, writer) = stream.into_split();
    let lines = room.subscribe();
    // Whichever ends first ends the connection.
    tokio::select! {
        heard = hear(reader, room) => heard,
        told = tell(writer, lines) => told,
    }
}

async fn hear(reader: OwnedReadHalf, room: Sender<Arc<str>>) -> io::Result<()> {
    let codec = LinesCodec::new_with_max_length(LONGEST);
    let mut lines = FramedRead::new(reader, codec);
    while let Some(line) = lines.next().await {
        let line = line.map_err(io::Error::other)?;
        let _ = room.send(line.into());
    }
    Ok(())
}
// ANCHOR_END: member

// ANCHOR: tell
async fn tell(mut writer: OwnedWriteHalf, mut lines: Receiver<Arc<str>>) -> io::Result<()> {
    writer.write_all(b"you are in the room\n").await?;
    loop {
        let line = match lines.recv().await {
            Ok(line) => line,
            Err(RecvError::Lagged(count)) => format!("you have missed {count} lines").into(),
            Err(RecvError::Closed) => return Ok(()),
        };
        writer.write_all(format!("{line}\n").as_bytes()).await?;
    }
}
// ANCHOR_END: tell
