//! It reads until the head is whole: `cargo run --example first_server_pieces`
use std::io::{self, Read, Write};
use std::net::TcpListener;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut buffer = [0; 1024];
        let mut length = 0;
        // Until the empty line has come, in however many pieces.
        while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut buffer[length..])?;
            if count == 0 {
                break;
            }
            length += count;
        }
        let head = str::from_utf8(&buffer[..length]).expect("a request is UTF-8");
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
