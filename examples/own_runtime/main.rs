//! By hand: rung 6 on a runtime of our own.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example own_runtime -- --threads 8

mod flag;
mod runtime;

use std::net::Shutdown;
use std::{fs, io, process, sync::Arc, thread};

use flag::{Flag, InFlight};
use runtime::{TcpListener, TcpStream, sleep, spawn, timeout, unblock};
use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("own_runtime", 8);
    runtime::start(options.threads.get())
        .unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let closing = stop_on_signal(&site)?;
    options.announce(&listener, format_args!("{} threads for tasks", options.threads));
    let listener = TcpListener::from_std(listener)?;
    runtime::run(serve(listener, site, closing));
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `closing` is raised, then waits for what is in flight.
async fn serve(listener: TcpListener, site: Arc<Site>, closing: Arc<Flag>) {
    let finished = Arc::new(Flag::default());
    let in_flight = Arc::new(InFlight(Arc::clone(&finished)));
    accept(listener, site, &closing, in_flight).await;
    finished.raised().await;
}

/// Gives each connection a task of its own, until `closing` is raised.
async fn accept(
    listener: TcpListener,
    site: Arc<Site>,
    closing: &Arc<Flag>,
    in_flight: Arc<InFlight>,
) {
    let mut errors = AcceptErrors::new();
    while let Some(accepted) = closing.until(true, listener.accept()).await {
        match accepted {
            Ok(stream) => {
                let (site, closing) = (Arc::clone(&site), Arc::clone(closing));
                let in_flight = Arc::clone(&in_flight);
                spawn(async move {
                    let _ = handle(stream, &site, &closing).await;
                    drop(in_flight);
                });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site, closing: &Flag) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                // When the server closes, nobody waits for a client that asked for nothing.
                let read = timeout(within, stream.read(&mut buffer));
                match closing.until(connection.is_idle(), read).await {
                    Some(Some(count)) => connection.received(&buffer[..count?]),
                    Some(None) => connection.timed_out(),
                    None => return Ok(()),
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => {
                let read = unblock(move || fs::read(path)).await;
                let no_thread = || Err(io::ErrorKind::OutOfMemory.into());
                connection.file_read(read.unwrap_or_else(no_thread));
            }
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                let written = timeout(WRITE_TIME, stream.write_all(&bytes)).await;
                written.ok_or(io::ErrorKind::TimedOut)??;
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle

// ANCHOR: stop
/// On Ctrl-C or SIGTERM, raises the flag, and gives what is in flight five seconds.
fn stop_on_signal(site: &Arc<Site>) -> io::Result<Arc<Flag>> {
    let closing = Arc::new(Flag::default());
    let (site, stopping) = (Arc::clone(site), Arc::clone(&closing));
    // The handler runs on a thread of its own, which no task can hold up.
    let handler = move || {
        site.start_closing();
        stopping.raise();
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(closing)
}
// ANCHOR_END: stop
