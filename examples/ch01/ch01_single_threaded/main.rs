//! Rung 1: one thread, one connection at a time.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch01_single_threaded

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::catch_unwind;
use std::{fs, mem, thread};

use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() {
    let options = Options::of("ch01_single_threaded").read();
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread");
    serve(listener, &site);
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and serves them, one after the other, forever.
fn serve(listener: TcpListener, site: &Site) {
    let mut errors = AcceptErrors::new();
    // Blocks here until a client connects.
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                // Blocks here until this client is served. All the others wait in the backlog.
                // A panic or a lost client ends its own connection, and no other.
                if let Err(panic) = catch_unwind(|| handle(&stream, site)) {
                    // Dropping the panic's payload may panic again, so it is forgotten instead.
                    mem::forget(panic);
                }
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}
// ANCHOR_END: serve

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
