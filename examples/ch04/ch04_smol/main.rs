//! Rung 4 on smol, the successor that async-std names.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch04_smol

mod read_into;
#[path = "../ch04_async_std/stop.rs"]
mod stop;
mod time;

use std::net::Shutdown;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::{env, io, thread};

use read_into::read_into;
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use smol::net::{TcpListener, TcpStream};
use smol::{Async, Executor, fs, future, prelude::*};
use stop::Stop;
use time::{sleep, timeout};

/// After so many responses on one connection its task yields.
const BUDGET: u64 = 16;

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("ch04_smol").read();
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site)?;
    let executor = Arc::new(Executor::new());
    for number in 1..=threads() {
        let executor = Arc::clone(&executor);
        let name = format!("smol-{number}");
        // Polls the executor's tasks, until the process ends.
        let work = move || smol::block_on(executor.run(future::pending::<()>()));
        thread::Builder::new().name(name).spawn(work)?;
    }
    options.announce(&listener, "a task for each connection");
    let listener = Async::new(listener)?;
    let serve = serve(listener.into(), site, Arc::clone(&executor), stop);
    smol::block_on(executor.spawn(serve));
    Ok(())
}

/// One for each hardware thread, unless the variable of smol's own executor says otherwise.
fn threads() -> usize {
    let said = env::var("SMOL_THREADS").ok().and_then(|number| number.parse().ok());
    said.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    executor: Arc<Executor<'static>>,
    stop: Stop,
) {
    let mut errors = AcceptErrors::new();
    while let Some(stream) = stop.until_told(listener.accept()).await {
        match stream {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                let stop = stop.clone();
                let task = executor.spawn(async move {
                    let _ = handle(stream, &site, &stop).await;
                });
                // Dropping a smol task cancels it. `detach` lets it live by itself.
                task.detach();
                // A backlog that is never empty would keep this thread, so accepted clients go first.
                future::yield_now().await;
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
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
    let mut responses = 0;
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                let idle = connection.is_idle();
                let read = timeout(within, read_into(&mut connection, &mut stream));
                // Waits here until bytes have come, or the time is over.
                // A stop closes an idle connection.
                if let Err(error) = stop.unless_idle(idle, read).await {
                    connection.read_failed(error)?;
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                timeout(WRITE_TIME, stream.write_all(&bytes)).await?;
                responses += 1;
                // A client that never pauses would keep this thread, so others go first at times.
                if responses % BUDGET == 0 {
                    future::yield_now().await;
                }
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
