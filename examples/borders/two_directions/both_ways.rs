//! A client that reads while it sends: `cargo run --example both_ways`
use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const MEGABYTES: usize = 16;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let stream = TcpStream::connect(("127.0.0.1", port())).await?;
    let (mut reader, mut writer) = stream.into_split();
    let sending = tokio::spawn(async move {
        let all = vec![b'x'; MEGABYTES * 1_000_000];
        writer.write_all(&all).await?;
        // The writer is dropped here, which closes this direction.
        io::Result::Ok(all.len())
    });
    let back = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await?;
    let sent = sending.await??;
    println!("{} kB are sent, and {} kB came back", sent / 1000, back / 1000);
    Ok(())
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
