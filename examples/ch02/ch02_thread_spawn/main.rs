//! Rung 2: an operating-system thread for each connection.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch02_thread_spawn

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::{fs, thread};

use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, blocking, compute};

// ANCHOR: main
fn main() {
    let options = Options::of("ch02_thread_spawn").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "a thread for each connection");
    serve(listener, site);
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and gives each its own thread, forever.
fn serve(listener: TcpListener, site: Arc<Site>) {
    let mut errors = AcceptErrors::new();
    let mut connections = 0;
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                connections += 1;
                spawn(stream, Arc::clone(&site), connections);
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: spawn
/// New: serves one connection on its own thread, and returns immediately.
fn spawn(stream: TcpStream, site: Arc<Site>, number: u64) {
    // Two owners: the thread, and this function in case it has to refuse the client.
    let stream = Arc::new(stream);
    let client = Arc::clone(&stream);
    let builder = thread::Builder::new().name(format!("connection-{number}"));
    // A panic ends this thread and its connection, and no other.
    if builder.spawn(move || handle(&client, &site)).is_err() {
        // No thread is left. Rather than panic, as `thread::spawn` does, tell this client: a 503.
        let _ = blocking::refuse(&stream);
    }
}
// ANCHOR_END: spawn

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
fn handle(mut stream: &TcpStream, site: &Site) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                stream.set_read_timeout(Some(within))?;
                // Waits here until bytes have come, or the time is over.
                match stream.read(&mut buffer) {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => thread::sleep(pause),
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => stream.write_all(&bytes)?,
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
