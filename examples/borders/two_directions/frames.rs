//! Messages in a stream, by lines and by their length: `cargo run --example frames`
use std::io::{self, ErrorKind};

use futures::StreamExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio_util::codec::{FramedRead, LengthDelimitedCodec, LinesCodec};

const MESSAGES: [&str; 3] = ["one", "twenty-two", "three"];

/// No message is longer, whatever its sender says.
const LONGEST: usize = 1024;

// ANCHOR: sent
/// What a sender has written, and then it has left. The pipe takes eight bytes at a time.
fn sent(bytes: Vec<u8>) -> DuplexStream {
    let (mut sender, receiver) = duplex(8);
    tokio::spawn(async move { sender.write_all(&bytes).await });
    receiver
}
// ANCHOR_END: sent

fn with_lines() -> Vec<u8> {
    MESSAGES.map(|message| format!("{message}\n")).concat().into_bytes()
}

// ANCHOR: with_lengths
/// Each message after its length, four bytes with the highest first.
fn with_lengths() -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in MESSAGES {
        bytes.extend((message.len() as u32).to_be_bytes());
        bytes.extend(message.as_bytes());
    }
    bytes
}
// ANCHOR_END: with_lengths

// ANCHOR: read_frame
/// The next message, and `None` at the end.
async fn read_frame(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let length = match reader.read_u32().await {
        Ok(length) => length as usize,
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    // Before the memory for it is taken.
    if length > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut frame = vec![0; length];
    reader.read_exact(&mut frame).await?;
    Ok(Some(frame))
}
// ANCHOR_END: read_frame

// ANCHOR: main
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("what read gives");
    let mut receiver = sent(with_lines());
    let mut buffer = [0; 1024];
    loop {
        let count = receiver.read(&mut buffer).await?;
        if count == 0 {
            break;
        }
        println!("  {:?}", String::from_utf8_lossy(&buffer[..count]));
    }

    println!("lines");
    let codec = LinesCodec::new_with_max_length(LONGEST);
    let mut lines = FramedRead::new(sent(with_lines()), codec);
    while let Some(line) = lines.next().await {
        println!("  {:?}", line?);
    }

    println!("lengths, by hand");
    let mut receiver = sent(with_lengths());
    while let Some(frame) = read_frame(&mut receiver).await? {
        println!("  {:?}", String::from_utf8(frame)?);
    }

    println!("lengths, by a codec");
    let codec = LengthDelimitedCodec::builder().max_frame_length(LONGEST).new_codec();
    let mut frames = FramedRead::new(sent(with_lengths()), codec);
    while let Some(frame) = frames.next().await {
        println!("  {:?}", String::from_utf8(frame?.to_vec())?);
    }
    Ok(())
}
// ANCHOR_END: main
