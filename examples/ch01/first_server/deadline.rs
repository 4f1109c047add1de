//! It has an end for each client: `cargo run --example first_server_deadline`
use std::io::{self, Read, Write};
use std::mem;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        // A panic or a lost client ends its own connection, and no other.
        if let Err(panic) = catch_unwind(|| handle(&stream)) {
            // Dropping the panic's payload may panic again, so it is forgotten instead.
            mem::forget(panic);
        }
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
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut buffer = [0; 1024];
    let mut head = Vec::new();
    // Until the empty line has come, in however many pieces.
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = read_until(deadline, stream, &mut buffer)?;
        if count == 0 {
            break;
        }
        head.extend_from_slice(&buffer[..count]);
    }
    let head = str::from_utf8(&head).expect("a request is UTF-8");
    let ok = head.starts_with("GET / ");
    let (status, body) = if ok { ("200 OK", "hello\n") } else { ("404 Not Found", "no page\n") };
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")?;
    // No more comes from here; what still comes from there is thrown away, but at most 64 KiB.
    stream.shutdown(Shutdown::Write)?;
    for _ in 0..64 {
        if read_until(deadline, stream, &mut buffer)? == 0 {
            break;
        }
    }
    Ok(())
}

// ANCHOR: read_until
/// Reads as `stream.read` does, but waits until the deadline at the latest.
fn read_until(deadline: Instant, mut stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    let left = deadline.saturating_duration_since(Instant::now());
    // Fails when no time is left: a limit of zero is refused.
    stream.set_read_timeout(Some(left))?;
    stream.read(buffer)
}
// ANCHOR_END: read_until
