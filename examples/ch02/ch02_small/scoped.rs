//! All threads borrow one page: `cargo run --example ch02_small_scoped`
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

fn main() -> io::Result<()> {
    serve(port())
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

// ANCHOR: serve
fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening on http://{}/", listener.local_addr()?);
    // Made when the server starts, so it can't be a constant.
    let page = format!("hello from process {}\n", std::process::id());
    thread::scope(|scope| {
        loop {
            let (stream, _) = listener.accept()?;
            scope.spawn(|| handle(stream, &page));
        }
    })
}
// ANCHOR_END: serve

fn handle(mut stream: TcpStream, page: &str) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut length = 0;
    // Until the empty line has come, in however many pieces.
    while !buffer[..length].windows(4).any(|end| end == b"\r\n\r\n") {
        if length == buffer.len() {
            // The request is too long.
            return Ok(());
        }
        let count = stream.read(&mut buffer[length..])?;
        if count == 0 {
            // The client has left.
            return Ok(());
        }
        length += count;
    }
    if buffer.starts_with(b"GET /sleep ") {
        thread::sleep(Duration::from_secs(2));
    }
    let length = page.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(format!("{head}{page}").as_bytes())
}
