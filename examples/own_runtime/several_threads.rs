//! Step 2 of the runtime by hand: several threads share one queue, and each wait has a limit.
//!
//!     cargo run --example own_runtime_several_threads -- --threads 8

mod fs;
mod net;
#[path = "queue_that_calls_all.rs"]
mod queue;
// The step has no end, which the server has.
#[allow(dead_code, unused_imports)]
mod runtime;

use std::{io, sync::Arc, time::Duration};

use net::{TcpListener, TcpStream};
use runtime::{sleep, spawn, timeout};
use site::{Connection, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("own_runtime_several_threads").with_threads(8).read();
    runtime::start(options.threads.get())?;
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, format_args!("{} threads for tasks", options.threads));
    runtime::run(serve(TcpListener::from_std(listener)?, site));
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Gives each connection its own task, forever.
async fn serve(listener: TcpListener, site: Arc<Site>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                spawn(async move { handle(stream, &site).await });
            }
            // No descriptor may be left. Until one is given back, `accept` would fail at once.
            Err(_) => sleep(Duration::from_millis(100)).await,
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
            // Waits here until bytes have come, or the time is over.
            Step::Read { within } => match timeout(within, stream.read(&mut buffer)).await {
                Ok(count) => match count? {
                    0 => connection.ended(),
                    count => connection.received(&buffer[..count]),
                },
                Err(error) => connection.read_failed(error)?,
            },
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
