use std::io::{Read, Write};
use std::net::TcpListener;

fn main() {
    let listener = TcpListener::bind("127.0.0.1:8080").unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut buffer = [0; 1024];
        stream.read(&mut buffer).unwrap();
        let answer = if buffer.starts_with(b"GET / ") {
            "HTTP/1.1 200 OK\r\n\r\nhello\n"
        } else {
            "HTTP/1.1 404 Not Found\r\n\r\nno such page\n"
        };
        stream.write(answer.as_bytes()).unwrap();
    }
}
