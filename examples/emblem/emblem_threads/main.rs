//! Stop 1, on threads: `cargo run --example emblem_threads`
#[path = "../draw.rs"]
mod draw;
#[path = "../http.rs"]
mod http;
#[path = "../pages.rs"]
mod pages;
mod pool;
#[path = "../port.rs"]
mod port;

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use http::Answer;
use pages::{INDEX, name_in};
use pool::ThreadPool;

/// How many connections are served at the same time, and how many more wait in the queue.
const THREADS: usize = 4;
const SLOTS: usize = 16;

/// How long a client may take for its head, and as long again for taking the response.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the server still reads what a client sends behind its head, and how much of it.
const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_READS: usize = 64;

/// The pause after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port::port()))?;
    println!("listening on http://{}/", listener.local_addr()?);
    let pool = ThreadPool::new(THREADS, SLOTS);
    loop {
        match listener.accept() {
            Ok((stream, peer)) => pool.execute(move || {
                // A client that leaves ends its own connection only.
                if let Err(error) = handle(&stream) {
                    eprintln!("{peer}: {error}");
                }
            }),
            // Perhaps no descriptor is left. Some connections will end soon.
            Err(error) => {
                eprintln!("accept: {error}");
                thread::sleep(PAUSE);
            }
        }
    }
}

fn handle(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    let answer = loop {
        match http::is_whole(&head) {
            Ok(false) => {}
            Ok(true) => break answer(&head),
            Err(status) => break Err(status),
        }
        match read_until(deadline, stream, &mut buffer) {
            // The client has left.
            Ok(0) => return Ok(()),
            Ok(count) => head.extend_from_slice(&buffer[..count]),
            Err(error) if !is_late(&error) => return Err(error),
            // It has not said a word.
            Err(_late) if head.is_empty() => return Ok(()),
            Err(_late) => break Err("408 Request Timeout"),
        }
    };
    stream.write_all(&http::response(&head, &answer))?;
    // No more comes from here; what still comes from there is thrown away, or it would reset the connection.
    stream.shutdown(Shutdown::Write)?;
    let deadline = Instant::now() + DRAIN;
    for _ in 0..DRAIN_READS {
        if !matches!(read_until(deadline, stream, &mut buffer), Ok(1..)) {
            break;
        }
    }
    Ok(())
}

/// Reads as `stream.read` does, but waits until the deadline at the latest.
fn read_until(deadline: Instant, mut stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    stream.set_read_timeout(Some(left))?;
    stream.read(buffer)
}

/// Whether a read has failed because its time was over. Unix and Windows have a word each for that.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn answer(head: &[u8]) -> Answer {
    let path = http::path(head)?;
    match (path, name_in(path)) {
        ("/", _) => Ok(INDEX.into()),
        (_, Some(name)) => Ok(draw::draw(name).into()),
        (_, None) => Err("404 Not Found"),
    }
}
