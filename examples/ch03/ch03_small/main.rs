//! A queue and four threads: `cargo run --example ch03_small`
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

// ANCHOR: main
fn main() -> io::Result<()> {
    serve(port())
}
// ANCHOR_END: main

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
    let (queue, streams) = mpsc::sync_channel(4);
    let streams = Arc::new(Mutex::new(streams));
    for _ in 0..4 {
        let streams = Arc::clone(&streams);
        thread::spawn(move || work(&streams));
    }
    loop {
        let (stream, _) = listener.accept()?;
        queue.send(stream).expect("the receiver lives as long as this loop");
    }
}
// ANCHOR_END: serve

// ANCHOR: work
fn work(streams: &Mutex<Receiver<TcpStream>>) {
    loop {
        // Waits here while the queue is empty.
        // The lock is given back at the end of the statement, before the handler runs.
        let next = streams.lock().expect("nothing panics under it").recv();
        let stream = next.expect("main never ends");
        // A client that leaves ends its own connection only.
        let _ = handle(stream);
    }
}
// ANCHOR_END: work

// ANCHOR: handle
fn handle(mut stream: TcpStream) -> io::Result<()> {
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
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    stream.write_all(response)
}
// ANCHOR_END: handle
