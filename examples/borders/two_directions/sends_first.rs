//! Wrong: a client that sends all before it reads: `cargo run --example sends_first`
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

const MEGABYTES: usize = 16;

/// This client gives up when no byte has been taken for so long. Many have no such limit.
const PATIENCE: Duration = Duration::from_secs(3);

// ANCHOR: main
fn main() -> io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port()))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let all = vec![b'x'; MEGABYTES * 1_000_000];
    let mut sent = 0;
    while sent < all.len() {
        match stream.write(&all[sent..]) {
            Ok(count) => sent += count,
            // Unix says the first, and Windows the second.
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
                println!("{} kB are sent, and nothing more for {PATIENCE:?}", sent / 1000);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
    stream.shutdown(Shutdown::Write)?;
    let back = io::copy(&mut stream, &mut io::sink())?;
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
