// Wrong: takes the whole target for the path, so a page with a query is another page.
// The check says: the status 404 in the response to GET /?name=you

use std::io::{Read, Write};
use std::net::TcpListener;

/// The whole answer to a request, as it goes over the wire.
pub fn answer(head: &str) -> String {
    // "GET /cats?a=1 HTTP/1.1": the second word, up to the question mark.
    let target = head.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match target {
        "/" => ("200 OK", "Hello!\n"),
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
