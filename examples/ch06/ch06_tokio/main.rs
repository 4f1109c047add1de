//! Rung 6: Tokio.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch06_tokio

mod read_into;
mod stop;

use std::{io, sync::Arc};

use read_into::read_into;
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use tokio::net::{TcpListener, TcpStream};
use tokio::{fs, io::AsyncWriteExt, select, time::sleep, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let options = Options::of("ch06_tokio").read();
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop::on_signal(&site)?;
    options.announce(&listener, "a task for each connection");
    // Tokio takes over the socket, and must never block on it.
    listener.set_nonblocking(true)?;
    tokio::spawn(serve(TcpListener::from_std(listener)?, site, stop)).await?;
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
async fn serve(listener: TcpListener, site: Arc<Site>, stop: CancellationToken) {
    let mut errors = AcceptErrors::new();
    let connections = TaskTracker::new();
    while let Some(stream) = stop.run_until_cancelled(listener.accept()).await {
        match stream {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                let stop = stop.clone();
                connections.spawn(async move {
                    let _ = handle(stream, &site, &stop).await;
                });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
    // From here on new clients are refused, and open connections are served to their end.
    drop(listener);
    connections.close();
    connections.wait().await;
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site, stop: &CancellationToken) -> io::Result<()> {
    let mut connection = Connection::new(site);
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                let idle = connection.is_idle();
                // Waits here until bytes have come, or the time is over.
                // A stop closes an idle connection.
                select! {
                    // The client first: a request that has arrived is answered.
                    biased;
                    read = timeout(within, read_into(&mut connection, &mut stream)) => match read {
                        Ok(read) => read?,
                        Err(_too_late) => connection.timed_out(),
                    },
                    () = stop.cancelled(), if idle => return Ok(()),
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
