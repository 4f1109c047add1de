//! The handler of `ch03_small`, and a page whose handler panics.
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

pub fn handle(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut length = 0;
    // Until the empty line has come, in however many pieces.
    while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
        if length == buffer.len() {
            // The request is too long.
            return Ok(());
        }
        let count = stream.read(&mut buffer[length..])?;
        if count == 0 {
            // The client has left.
            return Ok(());
        }
        length += count;
    }
    if buffer.starts_with(b"GET /sleep ") {
        thread::sleep(Duration::from_secs(2));
    }
    // ANCHOR: panic
    if buffer.starts_with(b"GET /panic ") {
        panic!("this page always panics");
    }
    // ANCHOR_END: panic
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n")
}
