// Wrong: looks at the path, but replaces the page that was there.
// The check says: the page as it was

use std::io::{Read, Write};
use std::net::TcpListener;

/// The whole answer to a request, as it goes over the wire.
pub fn answer(head: &str) -> String {
    // "GET /cats?a=1 HTTP/1.1": the second word, up to the question mark.
    let target = head.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let (status, body) = match path {
        "/" => ("200 OK", "Welcome!\n"),
        _ => ("404 Not Found", "There is no such page.\n"),
    };
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
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
