//! Step 1 of the event loop: the handler of the small servers, for many clients on one thread.
//!
//!     cargo run --example event_loop_small

use std::io::{self, ErrorKind, Read, Write};
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

// ANCHOR: client
/// What the handler of `ch04_small` keeps while it waits to read.
struct Client {
    stream: TcpStream,
    buffer: [u8; 4096],
    length: usize,
}

impl Client {
    /// Goes on as far as it can without waiting for this client; `false` when it has been served.
    fn advance(&mut self) -> io::Result<bool> {
        // Until the empty line has come, in however many pieces.
        while !self.buffer[..self.length].windows(4).any(|end| end == b"\r\n\r\n") {
            if self.length == self.buffer.len() {
                // The request is too long.
                return Ok(false);
            }
            match self.stream.read(&mut self.buffer[self.length..]) {
                // The client has left.
                Ok(0) => return Ok(false),
                Ok(count) => self.length += count,
                // A blocking read would wait here. This one lets the loop go on to others.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        if self.buffer.starts_with(b"GET /sleep ") {
            // This holds the only thread, and with it all clients.
            thread::sleep(Duration::from_secs(2));
        }
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
        self.stream.write_all(response)?;
        Ok(false)
    }
}
// ANCHOR_END: client

// ANCHOR: serve
/// Asks the listener and each client whether there is something to do, again and again.
fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening on http://{}/", listener.local_addr()?);
    listener.set_nonblocking(true)?;
    let mut clients: Vec<Client> = Vec::new();
    loop {
        // Returns immediately, with a client or with `WouldBlock`.
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true)?;
            clients.push(Client { stream, buffer: [0; 4096], length: 0 });
        }
        clients.retain_mut(|client| client.advance().unwrap_or(false));
    }
}
// ANCHOR_END: serve
