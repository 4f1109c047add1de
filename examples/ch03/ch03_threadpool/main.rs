//! Rung 3: a fixed number of threads, and a queue in front of them.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch03_threadpool -- --threads 8

mod pool;
mod stop;

use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::{fs, thread};

use pool::{Size, ThreadPool};
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use stop::Stop;

/// How many accepted connections may wait for a worker. Further connections wait in the backlog.
const SLOTS: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not zero");

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("ch03_threadpool").with_threads(8).read();
    let pool = ThreadPool::new(Size { workers: options.threads, slots: SLOTS })
        .unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site, &listener)?;
    options.announce(&listener, format_args!("{} worker threads", options.threads));
    serve(listener, site, pool, stop);
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
fn serve(listener: TcpListener, site: Arc<Site>, pool: ThreadPool, stop: Stop) {
    let mut errors = AcceptErrors::new();
    for stream in stop.until_told(listener.incoming()) {
        match stream {
            Ok(stream) => {
                let stream = Arc::new(stream);
                let site = Arc::clone(&site);
                let stop = stop.clone();
                // Blocks here while the queue is full.
                pool.execute(move || {
                    let _ = handle(&stream, &site, &stop);
                });
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
    // From here on new clients are refused, and open connections are served to their end.
    drop(listener);
    drop(pool);
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
fn handle(stream: &Arc<TcpStream>, site: &Site, stop: &Stop) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                stream.set_read_timeout(Some(within))?;
                // Waits here until bytes have come, or the time is over.
                // A stop closes an idle connection.
                match stop.read(connection.is_idle(), stream, &mut buffer) {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => thread::sleep(pause),
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => stream.as_ref().write_all(&bytes)?,
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
