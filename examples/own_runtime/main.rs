//! By hand: rung 6 on a runtime of our own.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example own_runtime -- --threads 8

mod files;
mod net;
mod queue;
mod runtime;
mod stop;

use std::net::Shutdown;
use std::{io, process, sync::Arc};

use net::{TcpListener, TcpStream};
use runtime::{sleep, spawn, timeout, until_closing};
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args_with_threads("own_runtime", 8);
    runtime::start(options.threads.get())
        .unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    stop::on_signal(&site)?;
    options.announce(&listener, format_args!("{} threads for tasks", options.threads));
    // Returns when no task is left: it accepts no longer, and what was in flight has ended.
    runtime::run(serve(TcpListener::from_std(listener)?, site));
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until the server closes, and ends the process if that task has panicked.
async fn serve(listener: TcpListener, site: Arc<Site>) {
    let accepting = spawn(accept(listener, site));
    if accepting.join().await.is_none() {
        process::exit(1);
    }
}

/// Gives each connection a task of its own, until the server closes.
async fn accept(listener: TcpListener, site: Arc<Site>) {
    let mut errors = AcceptErrors::new();
    while let Some(accepted) = until_closing(listener.accept()).await {
        match accepted {
            Ok(stream) => {
                let site = Arc::clone(&site);
                spawn(async move { handle(stream, &site).await });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                let is_idle = connection.is_idle();
                let read = timeout(within, stream.read(&mut buffer));
                // When the server closes, it waits for no client that asked for nothing.
                let read = if is_idle { until_closing(read).await } else { Some(read.await) };
                match read {
                    Some(Some(count)) => connection.received(&buffer[..count?]),
                    Some(None) => connection.timed_out(),
                    None => return Ok(()),
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(files::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                let written = timeout(WRITE_TIME, stream.write_all(&bytes)).await;
                written.ok_or(io::ErrorKind::TimedOut)??;
            }
            Step::FinishWriting => stream.socket.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
