//! Messages in a stream, by lines and by their length: `cargo run --example frames`
use std::error::Error;

use futures::StreamExt;
use tokio::io::AsyncReadExt;
use tokio_util::codec::{FramedRead, LengthDelimitedCodec, LinesCodec};
use two_directions::{LONGEST, read_frame, sent, with_lengths, with_lines};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    what_read_gives().await?;
    by_hand().await?;
    lines().await?;
    by_a_codec().await
}

// ANCHOR: read
async fn what_read_gives() -> Result<(), Box<dyn Error>> {
    println!("what read gives");
    let mut receiver = sent(with_lines());
    let mut buffer = [0; 1024];
    loop {
        let count = receiver.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        println!("  {:?}", String::from_utf8_lossy(&buffer[..count]));
    }
}
// ANCHOR_END: read

// ANCHOR: by_hand
async fn by_hand() -> Result<(), Box<dyn Error>> {
    println!("lengths, by hand");
    let mut receiver = sent(with_lengths());
    while let Some(frame) = read_frame(&mut receiver).await? {
        println!("  {:?}", String::from_utf8(frame)?);
    }
    Ok(())
}
// ANCHOR_END: by_hand

// ANCHOR: codecs
async fn lines() -> Result<(), Box<dyn Error>> {
    println!("lines, by a codec");
    let codec = LinesCodec::new_with_max_length(LONGEST);
    let mut lines = FramedRead::new(sent(with_lines()), codec);
    while let Some(line) = lines.next().await {
        println!("  {:?}", line?);
    }
    Ok(())
}

async fn by_a_codec() -> Result<(), Box<dyn Error>> {
    println!("lengths, by a codec");
    let codec = LengthDelimitedCodec::builder().max_frame_length(LONGEST).new_codec();
    let mut frames = FramedRead::new(sent(with_lengths()), codec);
    while let Some(frame) = frames.next().await {
        println!("  {:?}", String::from_utf8(frame?.to_vec())?);
    }
    Ok(())
}
// ANCHOR_END: codecs
