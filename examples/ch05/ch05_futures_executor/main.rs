//! Rung 5: the executor of the futures crate, and a reactor next to it.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch05_futures_executor -- --threads 8

#[path = "../../ch04/ch04_async_std/stop.rs"]
mod stop;
mod time;

use std::net::{Shutdown, TcpListener, TcpStream};
use std::{fs, io, mem, panic::AssertUnwindSafe, sync::Arc};

use async_io::Async;
use blocking::unblock;
use futures::executor::{ThreadPool, block_on};
use futures::prelude::*;
use site::{AcceptErrors, Connection, Options, Site, Step, WRITE_TIME, compute};
use stop::Stop;
use time::{YieldBudget, sleep, timeout};

// ANCHOR: main
fn main() -> io::Result<()> {
    let options = Options::of("ch05_futures_executor").with_threads(8).read();
    let executor = ThreadPool::builder().pool_size(options.threads.get()).create();
    let executor = executor.unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = Stop::on_signal(&site)?;
    options.announce(&listener, format_args!("{} executor threads", options.threads));
    // The accept loop has the main thread to itself, so it need not give way to the tasks.
    block_on(serve(Async::new(listener)?, site, executor, stop));
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until a signal stops the server, and finishes the requests in flight.
async fn serve(listener: Async<TcpListener>, site: Arc<Site>, executor: ThreadPool, stop: Stop) {
    let mut errors = AcceptErrors::new();
    while let Some(stream) = stop.until_told(listener.accept()).await {
        match stream {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                let stop = stop.clone();
                executor.spawn_ok(async move {
                    // New: a panic must not get through, or this executor loses the thread.
                    let served = AssertUnwindSafe(handle(stream, &site, &stop)).catch_unwind();
                    if let Err(panic) = served.await {
                        // Dropping the panic's payload may panic again, so it is forgotten instead.
                        mem::forget(panic);
                    }
                });
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
async fn handle(mut stream: Async<TcpStream>, site: &Site, stop: &Stop) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    let mut budget = YieldBudget::default();
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                let read = timeout(within, stream.read(&mut buffer));
                // Waits here until bytes have come, or the time is over.
                // A stop closes an idle connection.
                match stop.unless_idle(connection.is_idle(), read).await {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(unblock(move || fs::read(path)).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                timeout(WRITE_TIME, stream.write_all(&bytes)).await?;
                budget.give_way(&stream).await?;
            }
            Step::FinishWriting => stream.get_ref().shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle
