//! Rung 5 done wrong: blocking calls inside tasks, as a published article had it.
//!
//! It compiles, and it works. See what it does with more sleeping clients than it has threads:
//!
//!     cargo run --example ch05_futures_blocking -- --threads 8

#[path = "../../ch03/ch03_threadpool/stop.rs"]
mod stop;

use std::net::{TcpListener, TcpStream};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, mpsc};
use std::{io, mem, thread};

use futures::{executor::ThreadPool, future::FutureExt};
use site::{AcceptErrors, Options, Site, blocking};
use stop::Stop;

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("ch05_futures_blocking").with_threads(8).read();
    let executor = ThreadPool::builder().pool_size(options.threads.get()).create();
    let executor = executor.unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site, &listener)?;
    options.announce(&listener, format_args!("{} executor threads", options.threads));
    serve(listener, site, executor, stop);
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
fn serve(listener: TcpListener, site: Arc<Site>, executor: ThreadPool, stop: Stop) {
    let mut errors = AcceptErrors::new();
    // Nothing is sent here. Each task owns a sender; when the last is dropped, `finished` ends.
    let (in_flight, finished) = mpsc::channel::<()>();
    for stream in stop.until_told(listener.incoming()) {
        match stream {
            Ok(stream) => {
                let site = Arc::clone(&site);
                let stop = stop.clone();
                let in_flight = in_flight.clone();
                executor.spawn_ok(async move {
                    let served = AssertUnwindSafe(handle(stream, &site, &stop)).catch_unwind();
                    if let Err(panic) = served.await {
                        // Dropping the panic's payload may panic again, so it is forgotten instead.
                        mem::forget(panic);
                    }
                    drop(in_flight);
                });
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
    // From here on new clients are refused, and open connections are served to their end.
    drop(listener);
    drop(in_flight);
    let _ = finished.recv();
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Wrong: `async` in name only. Without an `.await` the task never gives its thread back.
async fn handle(stream: TcpStream, site: &Site, stop: &Stop) -> io::Result<()> {
    let stream = Arc::new(stream);
    let read = |_: &mut &TcpStream, idle: bool, buffer: &mut [u8]| stop.read(idle, &stream, buffer);
    blocking::handle_with(&*stream, site, read)
}
// ANCHOR_END: handle
