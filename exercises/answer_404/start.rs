// Answer 404.
//
// This server says "Hello!" to everybody, although `/` is the only page of its site.
//
// Your turn: `answer` gets the head of a request, such as "GET /cats HTTP/1.1\r\nHost: ...".
// - For the path `/` it returns the page, as it does now, and also with a query behind it: `/?a=1`.
// - For any other path it returns a 404, with a body in your own words and its exact length.

use std::io::{Read, Write};
use std::net::TcpListener;

/// The whole answer to a request, as it goes over the wire.
pub fn answer(head: &str) -> String {
    let body = "Hello!\n";
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// Serves one client after the other. Nothing is wrong here.
pub fn serve(listener: TcpListener) {
    for mut stream in listener.incoming().flatten() {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).unwrap_or(0);
        let head = String::from_utf8_lossy(&buffer[..count]);
        let _ = stream.write_all(answer(&head).as_bytes());
    }
}
