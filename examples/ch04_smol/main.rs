//! Rung 4 on smol, the successor that async-std names.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch04_smol

mod read_into;

use std::net::Shutdown;
use std::{io, process::ExitCode, sync::Arc, time::Duration};

use read_into::read_into;
use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};
use smol::channel::{self, Receiver, Sender};
use smol::net::{TcpListener, TcpStream};
use smol::{Async, Timer, fs, future, prelude::*};

// ANCHOR: main
fn main() -> io::Result<ExitCode> {
    let options = Options::from_args("ch04_smol");
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop_on_signal()?;
    options.announce(&listener, "a task for each connection");
    // Runs this future on the main thread until it is done.
    Ok(smol::block_on(serve(TcpListener::from(Async::new(listener)?), site, stop)))
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `stop` is told, then gives what is in flight five seconds. Fails if it must cut some off.
async fn serve(listener: TcpListener, site: Arc<Site>, stop: Receiver<()>) -> ExitCode {
    // Nothing is sent here. Each task owns a sender; when the last is dropped, `finished` closes.
    let (in_flight, finished) = channel::bounded::<()>(1);
    let accepting = smol::spawn(accept(listener, Arc::clone(&site), in_flight));
    let _ = stop.recv().await;
    site.start_closing();
    let finish = async {
        accepting.cancel().await;
        finished.recv().await
    };
    let in_time = within(GRACE_TIME, finish).await.is_some();
    if in_time { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Gives each connection a task of its own.
async fn accept(listener: TcpListener, site: Arc<Site>, in_flight: Sender<()>) {
    let mut errors = AcceptErrors::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (site, in_flight) = (Arc::clone(&site), in_flight.clone());
                let task = smol::spawn(async move {
                    let _ = handle(stream, &site).await;
                    drop(in_flight);
                });
                // Dropping a smol task cancels it. `detach` lets it live by itself.
                task.detach();
            }
            Err(error) => drop(Timer::after(errors.pause_after(&error)).await),
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    loop {
        match connection.next_step() {
            Step::Read { within: limit } => {
                match within(limit, read_into(&mut connection, &mut stream)).await {
                    Some(read) => read?,
                    None => connection.timed_out(),
                }
            }
            Step::Sleep(pause) => drop(Timer::after(pause).await),
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                let written = within(WRITE_TIME, stream.write_all(&bytes)).await;
                written.ok_or(io::ErrorKind::TimedOut)??;
                // Let others go first: a client that never pauses would keep this thread.
                future::yield_now().await;
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle

// ANCHOR: within
/// The output of `future`, or `None` if `limit` is over first. The loser of this race is dropped.
async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let in_time = async { Some(future.await) };
    let too_late = async {
        Timer::after(limit).await;
        None
    };
    future::or(in_time, too_late).await
}
// ANCHOR_END: within

// ANCHOR: stop
/// A channel that gets a message on Ctrl-C or SIGTERM.
fn stop_on_signal() -> io::Result<Receiver<()>> {
    let (sender, receiver) = channel::bounded(1);
    // A second signal finds the channel full, and is not needed.
    let handler = move || {
        let _ = sender.try_send(());
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(receiver)
}
// ANCHOR_END: stop
