//! Rung 5 done wrong: blocking calls inside tasks, as a published article had it.
//!
//! It compiles, and it works. Then ask it for more sleeping clients than it has threads:
//!
//!     cargo run --example ch05_futures_blocking -- --threads 8

use std::net::{TcpListener, TcpStream};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{io, process, thread};

use futures::{executor::ThreadPool, future::FutureExt};
use site::{AcceptErrors, GRACE_TIME, Options, Site, blocking};

/// How long a connection to ourselves may take.
const WAKE_TIME: Duration = Duration::from_millis(100);

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("ch05_futures_blocking", 8);
    let executor = ThreadPool::builder().pool_size(options.threads.get()).create();
    let executor = executor.unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop_on_signal(&listener, &site)?;
    options.announce(&listener, format_args!("{} executor threads", options.threads));
    serve(listener, &site, &executor, &stop);
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and spawns a task for each, until `stop` is set; then waits for the tasks.
fn serve(listener: TcpListener, site: &Arc<Site>, executor: &ThreadPool, stop: &AtomicBool) {
    let mut errors = AcceptErrors::new();
    // Nothing is sent here. Each task owns a sender; when the last is dropped, `finished` ends.
    let (in_flight, finished) = mpsc::channel::<()>();
    for stream in listener.incoming() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match stream {
            Ok(stream) => {
                let (site, in_flight) = (Arc::clone(site), in_flight.clone());
                executor.spawn_ok(async move {
                    let _ = AssertUnwindSafe(handle(stream, &site)).catch_unwind().await;
                    drop(in_flight);
                });
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
    drop(in_flight);
    let _ = finished.recv();
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Wrong: `async` in name only. Without an `.await` the task never gives its thread back.
async fn handle(stream: TcpStream, site: &Site) -> io::Result<()> {
    blocking::handle(&stream, site)
}
// ANCHOR_END: handle

/// On Ctrl-C or SIGTERM, stop accepting, and give what is in flight five seconds (as in rung 3).
fn stop_on_signal(listener: &TcpListener, site: &Arc<Site>) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let address = listener.local_addr()?;
    let (site, stopping) = (Arc::clone(site), Arc::clone(&stop));
    let handler = move || {
        stopping.store(true, Ordering::Relaxed);
        site.start_closing();
        let _ = TcpStream::connect_timeout(&address, WAKE_TIME);
        thread::sleep(GRACE_TIME);
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(stop)
}
