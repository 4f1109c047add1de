//! It lets the client finish: `cargo run --example first_server_drained`
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        // A client that is lost ends its own connection, and no other.
        let _ = handle(&stream);
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

fn handle(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
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
    let (status, body) = if ok { ("200 OK", "hello\n") } else { ("404 Not Found", "no page\n") };
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")?;
    // No more comes from here; what still comes from there is thrown away.
    stream.shutdown(Shutdown::Write)?;
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}
