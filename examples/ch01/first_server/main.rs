//! A server that reads once: `cargo run --example first_server`
use std::io::{self, Read, Write};
use std::net::TcpListener;

fn main() -> io::Result<()> {
    let port = std::env::args().nth(2).map_or(8080, |port| port.parse().expect("a port"));
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening on http://{}/", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut buffer = [0; 1024];
        let count = stream.read(&mut buffer)?;
        let head = str::from_utf8(&buffer[..count]).expect("a request is UTF-8");
        let ok = head.starts_with("GET / ");
        let (status, body) =
            if ok { ("200 OK", "hello\n") } else { ("404 Not Found", "no page\n") };
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")?;
    }
    Ok(())
}
