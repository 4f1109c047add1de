//! By hand: rung 6 on our own runtime.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example own_runtime -- --threads 8

mod fs;
mod net;
mod queue;
mod runtime;
mod stop;

use std::{io, process, sync::Arc};

use net::{TcpListener, TcpStream};
use runtime::{sleep, spawn, timeout, until_closing};
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("own_runtime").with_threads(8).read();
    runtime::start(options.threads.get())
        .unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    stop::on_signal(&site)?;
    options.announce(&listener, format_args!("{} threads for tasks", options.threads));
    let accepting = serve(TcpListener::from_std(listener)?, site);
    // Returns when no task is left. If the accept loop has panicked, the process ends.
    runtime::run(async { spawn(accepting).join().await.unwrap_or_else(|| process::exit(1)) });
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until the server closes.
async fn serve(listener: TcpListener, site: Arc<Site>) {
    let mut errors = AcceptErrors::new();
    while let Some(stream) = until_closing(listener.accept()).await {
        match stream {
            Ok((stream, _)) => {
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
                // Waits here until bytes have come, or the time is over.
                // New: or until the server stops, if this client has asked for nothing.
                let idle = connection.is_idle();
                let read = timeout(within, stream.read(&mut buffer));
                match stop::until_told_if(idle, read).await {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => timeout(WRITE_TIME, stream.write_all(&bytes)).await??,
            Step::FinishWriting => stream.shutdown().await?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
