//! Rung 4: tasks instead of threads, on async-std.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch04_async_std

mod stop;

use std::net::Shutdown;
use std::sync::Arc;

use async_std::net::{TcpListener, TcpStream};
use async_std::{fs, io, prelude::*, task};
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use stop::Stop;

/// After so many responses on one connection its task yields.
const BUDGET: u64 = 16;

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("ch04_async_std").read();
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site)?;
    options.announce(&listener, "a task for each connection");
    task::block_on(task::spawn(serve(listener.into(), site, stop)));
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
async fn serve(listener: TcpListener, site: Arc<Site>, stop: Stop) {
    let mut errors = AcceptErrors::new();
    while let Some(stream) = stop.until_told(listener.accept()).await {
        match stream {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                let stop = stop.clone();
                task::spawn(async move {
                    let _ = handle(stream, &site, &stop).await;
                });
                // A backlog that is never empty would keep this thread, so accepted clients go first.
                task::yield_now().await;
            }
            Err(error) => task::sleep(errors.pause_after(&error)).await,
        }
    }
    // From here on new clients are refused, and open connections are served to their end.
    drop(listener);
    stop.all_done().await;
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site, stop: &Stop) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    let mut responses = 0;
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                let read = io::timeout(within, stream.read(&mut buffer));
                // Waits here until bytes have come, or the time is over.
                // A stop closes an idle connection.
                match stop.unless_idle(connection.is_idle(), read).await {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => task::sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                io::timeout(WRITE_TIME, stream.write_all(&bytes)).await?;
                responses += 1;
                // A client that never pauses would keep this thread, so others go first at times.
                if responses % BUDGET == 0 {
                    task::yield_now().await;
                }
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
