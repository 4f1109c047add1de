// Wrong: reads until the client ends, but a client that waits for its answer doesn't end.
// The check says: not a byte of an answer

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Serves one client after the other, forever. A client has `patience` for its whole request.
pub fn serve(listener: TcpListener, patience: Duration) {
    for stream in listener.incoming().flatten() {
        // A client that goes away or breaks off affects no other client.
        let _ = handle(stream, patience);
    }
}

fn handle(mut stream: TcpStream, patience: Duration) -> io::Result<()> {
    let end = Instant::now() + patience;
    stream.set_write_timeout(Some(patience))?;
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        // The rest of the time, not all of it again, because otherwise a byte now and then would be enough.
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        // A read that has to wait for longer fails, and `?` ends this client.
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        received.extend_from_slice(&buffer[..count]);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n")
}
