// Find out why no client is served.
//
// The server works, but now and then it stops answering anybody, although no CPU is busy.
//
// Your turn: find out what it waits for. Let no client keep it waiting for a request longer than
// `patience`, neither with silence nor with a byte now and then.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Serves one client after the other, forever. A client has `patience` for its whole request.
pub fn serve(listener: TcpListener, patience: Duration) {
    for stream in listener.incoming().flatten() {
        // A client that goes away or breaks off affects no other client.
        let _ = handle(stream, patience);
    }
}

fn handle(mut stream: TcpStream, patience: Duration) -> io::Result<()> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    while !received.windows(4).any(|four| four == b"\r\n\r\n") {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..count]);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n")
}
