//! Messages in a stream, by lines and by their length, for the programs that look for their ends.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

// ANCHOR: messages
/// What is sent.
const MESSAGES: [&str; 3] = ["one", "twenty-two", "three"];

/// Each message, and the end of its line.
pub fn with_lines() -> Vec<u8> {
    MESSAGES.map(|message| format!("{message}\n")).concat().into_bytes()
}

/// Each message after its length, four bytes with the highest first.
pub fn with_lengths() -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in MESSAGES {
        bytes.extend((message.len() as u32).to_be_bytes());
        bytes.extend(message.as_bytes());
    }
    bytes
}

/// What a sender has written, and then it has left. The pipe takes eight bytes at a time.
pub fn sent(bytes: Vec<u8>) -> DuplexStream {
    let (mut sender, receiver) = duplex(8);
    tokio::spawn(async move { sender.write_all(&bytes).await });
    receiver
}
// ANCHOR_END: messages

// ANCHOR: read_frame
/// No message is longer, whatever its sender says.
pub const LONGEST: usize = 1024;

/// The next message, and `None` at the end.
///
/// # Errors
/// For a message that is too long, and for one that is cut.
pub async fn read_frame(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
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
