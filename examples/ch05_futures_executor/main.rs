//! Rung 5: the executor of the futures crate, and a reactor beside it.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch05_futures_executor -- --threads 8

use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::{fs, io, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use async_io::{Async, Timer};
use blocking::unblock;
use futures::channel::mpsc::{self, Receiver, Sender};
use futures::executor::{ThreadPool, block_on};
use futures::{prelude::*, task::SpawnExt};
use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<ExitCode> {
    let options = Options::from_args_with_threads("ch05_futures_executor", 8);
    // New: the executor is a value, and its threads are ours to count.
    let executor = ThreadPool::builder().pool_size(options.threads.get()).create();
    let executor = executor.unwrap_or_else(|error| options.give_up("start its threads", &error));
    let listener = options.bind();
    let stop = stop_on_signal()?;
    options.announce(&listener, format_args!("{} executor threads", options.threads));
    block_on(serve(Async::new(listener)?, Site::new(&options), executor, stop))
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `stop` is told, then gives what is in flight five seconds. Fails if it must cut some off.
async fn serve(
    listener: Async<TcpListener>,
    site: Arc<Site>,
    executor: ThreadPool,
    mut stop: Receiver<()>,
) -> io::Result<ExitCode> {
    // Nothing is sent here. Each task owns a sender; when the last is dropped, `finished` ends.
    let (in_flight, mut finished) = mpsc::channel::<()>(0);
    let accepting = accept(listener, Arc::clone(&site), executor.clone(), in_flight);
    let accepting = executor.spawn_with_handle(accepting).map_err(io::Error::other)?;
    stop.next().await;
    // Dropping the handle cancels the task.
    drop(accepting);
    site.start_closing();
    let in_time = within(GRACE_TIME, finished.next()).await.is_some();
    Ok(if in_time { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Gives each connection a task of its own.
async fn accept(
    listener: Async<TcpListener>,
    site: Arc<Site>,
    executor: ThreadPool,
    in_flight: Sender<()>,
) {
    let mut errors = AcceptErrors::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (site, in_flight) = (Arc::clone(&site), in_flight.clone());
                executor.spawn_ok(async move {
                    // A panic must not get through: this executor would lose the thread.
                    let _ = AssertUnwindSafe(handle(stream, &site)).catch_unwind().await;
                    drop(in_flight);
                });
            }
            Err(error) => drop(Timer::after(errors.pause_after(&error)).await),
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: Async<TcpStream>, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let (mut buffer, mut answers) = ([0; 4096], 0_u64);
    loop {
        match connection.next_step() {
            Step::Read { within: limit } => match within(limit, stream.read(&mut buffer)).await {
                Some(count) => connection.received(&buffer[..count?]),
                None => connection.timed_out(),
            },
            Step::Sleep(pause) => drop(Timer::after(pause).await),
            // New: futures has no file API, so a thread that may block reads the file.
            Step::ReadFile(path) => connection.file_read(unblock(move || fs::read(path)).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                let written = within(WRITE_TIME, stream.write_all(&bytes)).await;
                written.ok_or(io::ErrorKind::TimedOut)??;
                // New: others go first while the reactor looks. Not each time: it costs.
                answers += 1;
                if answers % 16 == 0 {
                    let looked = within(WRITE_TIME, stream.writable()).await;
                    looked.ok_or(io::ErrorKind::TimedOut)??;
                }
            }
            Step::FinishWriting => stream.get_ref().shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle

/// The output of `future`, or `None` if `limit` is over first. The loser of this race is dropped.
async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    match future::select(pin!(future), Timer::after(limit)).await {
        future::Either::Left((output, _timer)) => Some(output),
        future::Either::Right(_) => None,
    }
}

/// A channel that gets a message on Ctrl-C or SIGTERM.
fn stop_on_signal() -> io::Result<Receiver<()>> {
    let (mut sender, receiver) = mpsc::channel(1);
    ctrlc::set_handler(move || drop(sender.try_send(()))).map_err(io::Error::other)?;
    Ok(receiver)
}
