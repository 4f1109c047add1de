//! What a receiver makes of a sender that leaves too early: `cargo run --example frames_cut`
use futures::StreamExt;
use tokio_util::codec::{Decoder, FramedRead, LengthDelimitedCodec, LinesCodec};
use two_directions::{LONGEST, read_frame, sent, with_lengths, with_lines};

/// After how many bytes the sender leaves. The first message and its length are seven bytes.
const CUTS: [(&str, usize); 4] = [
    ("behind a message", 7),
    ("inside a length", 9),
    ("behind a length", 11),
    ("inside a message", 15),
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("lengths, by hand");
    for (place, count) in CUTS {
        println!("  {place}: {}", by_hand(&with_lengths()[..count]).await);
    }
    println!("lengths, by a codec");
    for (place, count) in CUTS {
        let codec = LengthDelimitedCodec::builder().max_frame_length(LONGEST).new_codec();
        println!("  {place}: {}", by_codec(codec, &with_lengths()[..count]).await);
    }
    println!("lines, by a codec");
    for (place, count) in [("behind a line", 4), ("inside a line", 8)] {
        let codec = LinesCodec::new_with_max_length(LONGEST);
        println!("  {place}: {}", by_codec(codec, &with_lines()[..count]).await);
    }
}

async fn by_hand(bytes: &[u8]) -> String {
    let mut receiver = sent(bytes.to_vec());
    let mut seen = Vec::new();
    loop {
        match read_frame(&mut receiver).await {
            Ok(Some(frame)) => seen.push(String::from_utf8_lossy(&frame).into_owned()),
            Ok(None) => return format!("{seen:?} and the end"),
            Err(_cut) => return format!("{seen:?} and an error"),
        }
    }
}

async fn by_codec<D: Decoder<Item: AsRef<[u8]>>>(codec: D, bytes: &[u8]) -> String {
    let mut frames = FramedRead::new(sent(bytes.to_vec()), codec);
    let mut seen = Vec::new();
    loop {
        match frames.next().await {
            Some(Ok(frame)) => seen.push(String::from_utf8_lossy(frame.as_ref()).into_owned()),
            None => return format!("{seen:?} and the end"),
            Some(Err(_cut)) => return format!("{seen:?} and an error"),
        }
    }
}
