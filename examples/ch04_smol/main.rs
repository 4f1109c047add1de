//! Rung 4 on smol, the successor that async-std names.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch04_smol

mod read_into;
#[path = "../ch04_async_std/stop.rs"]
mod stop;
mod time;

use std::io;
use std::net::Shutdown;
use std::sync::Arc;

use read_into::read_into;
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use smol::net::{TcpListener, TcpStream};
use smol::{Async, fs, future, prelude::*};
use stop::Stop;
use time::{sleep, timeout};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::from_args("ch04_smol");
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site)?;
    options.announce(&listener, "a task for each connection");
    let listener = Async::new(listener)?;
    smol::block_on(smol::spawn(serve(listener.into(), site, stop)));
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
                let in_flight = stop.in_flight();
                let task = smol::spawn(async move {
                    let _ = handle(stream, &site).await;
                    drop(in_flight);
                });
                // Dropping a smol task cancels it. `detach` lets it live by itself.
                task.detach();
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
    // From here on new clients are refused, and those inside are served to their end.
    drop(listener);
    stop.all_done().await;
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                // Waits here until bytes have come, or the time is over.
                let read = read_into(&mut connection, &mut stream);
                if let Err(error) = timeout(within, read).await {
                    connection.read_failed(error)?;
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                timeout(WRITE_TIME, stream.write_all(&bytes)).await?;
                // Others go first: a client that never pauses would keep this thread.
                future::yield_now().await;
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
