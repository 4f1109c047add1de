//! The same client with two threads: `cargo run --example both_ways_threads`
use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;

const MEGABYTES: usize = 16;

// ANCHOR: main
fn main() -> io::Result<()> {
    let mut reader = TcpStream::connect(("127.0.0.1", port()))?;
    let mut writer = reader.try_clone()?;
    let sending = thread::spawn(move || {
        let all = vec![b'x'; MEGABYTES * 1_000_000];
        writer.write_all(&all)?;
        // Dropping the clone would close nothing, because the reader has the connection as well.
        writer.shutdown(Shutdown::Write)?;
        io::Result::Ok(all.len())
    });
    let back = io::copy(&mut reader, &mut io::sink())?;
    let sent = sending.join().expect("it doesn't panic")?;
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
