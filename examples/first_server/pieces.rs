//! It reads until the head is whole: `cargo run --example first_server_pieces`
use std::io::{Read, Write};
use std::net::TcpListener;

fn main() {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().unwrap());
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("listening on http://{}/", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut buffer = [0; 1024];
        let mut length = 0;
        // Until the empty line has come, in however many pieces.
        while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut buffer[length..]).unwrap();
            if count == 0 {
                break;
            }
            length += count;
        }
        let head = str::from_utf8(&buffer[..length]).unwrap();
        let (status, body) = match head.starts_with("GET / ") {
            true => ("200 OK", "hello\n"),
            false => ("404 Not Found", "no such page\n"),
        };
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}").unwrap();
    }
}
