//! A chat room that closes a listener whose queue is full: `cargo run --example room_close`
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, LinesCodec};

/// How many lines may wait for a member.
const QUEUE: usize = 64;

/// No line is longer.
const LONGEST: usize = 4096;

/// How long a member may take nothing.
const PATIENCE: Duration = Duration::from_secs(3);
#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port())).await?;
    println!("listening on {}", listener.local_addr()?);
    let (events, received) = mpsc::channel(QUEUE);
    tokio::spawn(room(received));
    loop {
        let (stream, _) = listener.accept().await?;
        // A member that leaves ends its own connection only.
        tokio::spawn(member(stream, events.clone()));
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

enum Event {
    Joined(Sender<Arc<str>>),
    Said(Arc<str>),
}

// ANCHOR: room
/// Owns the list of the members, and gives each line to all.
async fn room(mut events: Receiver<Event>) {
    let mut members: Vec<Sender<Arc<str>>> = Vec::new();
    while let Some(event) = events.recv().await {
        match event {
            Event::Joined(member) => members.push(member),
            Event::Said(line) => {
                // Fails for one that has left, and for one whose queue is full: its sender is dropped here.
                members.retain(|member| member.try_send(Arc::clone(&line)).is_ok());
            }
        }
    }
}
// ANCHOR_END: room

// ANCHOR: member
async fn member(stream: TcpStream, events: Sender<Event>) -> io::Result<()> {
    let (reader, writer) = stream.into_split();
    let (sender, lines) = mpsc::channel(QUEUE);
    let _ = events.send(Event::Joined(sender)).await;
    // Whichever ends first ends the connection.
    tokio::select! {
        heard = hear(reader, events) => heard,
        told = tell(writer, lines) => told,
    }
}

async fn hear(reader: OwnedReadHalf, events: Sender<Event>) -> io::Result<()> {
    let codec = LinesCodec::new_with_max_length(LONGEST);
    let mut lines = FramedRead::new(reader, codec);
    while let Some(line) = lines.next().await {
        let line = line.map_err(io::Error::other)?;
        let _ = events.send(Event::Said(line.into())).await;
    }
    Ok(())
}

async fn tell(mut writer: OwnedWriteHalf, mut lines: Receiver<Arc<str>>) -> io::Result<()> {
    writer.write_all(b"you are in the room\n").await?;
    while let Some(line) = lines.recv().await {
        timeout(PATIENCE, writer.write_all(format!("{line}\n").as_bytes())).await??;
    }
    Ok(())
}
// ANCHOR_END: member
