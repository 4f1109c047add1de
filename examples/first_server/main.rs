//! A server that reads once: `cargo run --example first_server`
use std::io::{Read, Write};
use std::net::TcpListener;

fn main() {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().unwrap());
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("listening on http://{}/", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut buffer = [0; 1024];
        let count = stream.read(&mut buffer).unwrap();
        let head = str::from_utf8(&buffer[..count]).unwrap();
        let (status, body) = match head.starts_with("GET / ") {
            true => ("200 OK", "hello\n"),
            false => ("404 Not Found", "no such page\n"),
        };
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}").unwrap();
    }
}
