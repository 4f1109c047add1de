//! It reads a head of any length: `cargo run --example first_server_long`
use std::io::{self, Read, Write};
use std::net::TcpListener;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut buffer = [0; 1024];
        let mut head = Vec::new();
        // Until the empty line has come, in however many pieces.
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            head.extend_from_slice(&buffer[..count]);
        }
        let head = str::from_utf8(&head).expect("a request is UTF-8");
        let ok = head.starts_with("GET / ");
        let (status, body) =
            if ok { ("200 OK", "hello\n") } else { ("404 Not Found", "no page\n") };
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")?;
    }
    Ok(())
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}
