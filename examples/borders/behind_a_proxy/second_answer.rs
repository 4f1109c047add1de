//! How long each of five answers on one connection takes: `cargo run --example second_answer`
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

// ANCHOR: main
fn main() -> io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port()))?;
    for number in 1..=5 {
        let asked = Instant::now();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let mut answer = Vec::new();
        let mut buffer = [0; 1024];
        while !answer.ends_with(b"\r\n\r\nhello\n") {
            match stream.read(&mut buffer)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => answer.extend_from_slice(&buffer[..count]),
            }
        }
        println!("answer {number}: {:5.1} ms", 1000.0 * asked.elapsed().as_secs_f64());
    }
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
