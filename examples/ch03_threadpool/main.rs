//! Rung 3: a fixed number of threads, and a queue in front of them.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch03_threadpool -- --threads 8

mod pool;

use std::net::{TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{io, process, thread};

use pool::ThreadPool;
use site::{AcceptErrors, GRACE_TIME, Options, Site, blocking};

/// How many accepted connections may wait for a worker. The next ones wait in the backlog.
const QUEUE: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not zero");

/// How long a connection to ourselves may take.
const WAKE_TIME: Duration = Duration::from_millis(100);

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("ch03_threadpool", 8);
    let pool = ThreadPool::new(options.threads, QUEUE)
        .unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop_on_signal(&listener, &site)?;
    options.announce(&listener, format_args!("{} worker threads", options.threads));
    serve(listener, &site, &pool, &stop);
    // Dropping the pool finishes what is queued and what is running.
    drop(pool);
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections and queues each for the pool, until `stop` is set.
fn serve(listener: TcpListener, site: &Arc<Site>, pool: &ThreadPool, stop: &AtomicBool) {
    let mut errors = AcceptErrors::new();
    for stream in listener.incoming() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        match stream {
            Ok(stream) => {
                let site = Arc::clone(site);
                // Blocks here while the queue is full.
                pool.execute(move || {
                    let _ = blocking::handle(&stream, &site);
                });
            }
            Err(error) => thread::sleep(errors.pause_after(&error)),
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: stop
/// New: on Ctrl-C or SIGTERM, stop accepting, and give what is in flight five seconds.
fn stop_on_signal(listener: &TcpListener, site: &Arc<Site>) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let address = listener.local_addr()?;
    let (site, stopping) = (Arc::clone(site), Arc::clone(&stop));
    // The handler runs on a thread of its own, so it may block.
    let handler = move || {
        stopping.store(true, Ordering::Relaxed);
        site.start_closing();
        // `accept` is blocked and looks at no flag: wake it with a connection.
        // If that fails, others stand in the backlog, and will do. Or no descriptor is left for it,
        // and the end comes below.
        let _ = TcpStream::connect_timeout(&address, WAKE_TIME);
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(stop)
}
// ANCHOR_END: stop
