//! Rung 4: tasks instead of threads, on async-std.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch04_async_std

use std::net::Shutdown;
use std::{io, process::ExitCode, sync::Arc};

use async_std::channel::{self, Receiver, Sender};
use async_std::net::{TcpListener, TcpStream};
use async_std::{fs, future, prelude::*, task};
use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};

// ANCHOR: main
fn main() -> io::Result<ExitCode> {
    let options = Options::from_args("ch04_async_std");
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop_on_signal()?;
    options.announce(&listener, "a task for each connection");
    // Runs this future on the main thread until it is done.
    Ok(task::block_on(serve(TcpListener::from(listener), site, stop)))
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `stop` is told, then gives what is in flight five seconds. Fails if it must cut some off.
async fn serve(listener: TcpListener, site: Arc<Site>, stop: Receiver<()>) -> ExitCode {
    // Nothing is sent here. Each task owns a sender; when the last is dropped, `finished` closes.
    let (in_flight, finished) = channel::bounded::<()>(1);
    let accepting = task::spawn(accept(listener, Arc::clone(&site), in_flight));
    let _ = stop.recv().await;
    site.start_closing();
    let finish = async {
        accepting.cancel().await;
        finished.recv().await
    };
    let in_time = future::timeout(GRACE_TIME, finish).await.is_ok();
    if in_time { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
// ANCHOR_END: serve

// ANCHOR: accept
/// Gives each connection a task of its own.
async fn accept(listener: TcpListener, site: Arc<Site>, in_flight: Sender<()>) {
    let mut errors = AcceptErrors::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (site, in_flight) = (Arc::clone(&site), in_flight.clone());
                task::spawn(async move {
                    let _ = handle(stream, &site).await;
                    drop(in_flight);
                });
            }
            Err(error) => task::sleep(errors.pause_after(&error)).await,
        }
    }
}
// ANCHOR_END: accept

// ANCHOR: handle
/// New: the handler of rungs 1 to 3, with an `.await` wherever it used to block.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                match future::timeout(within, stream.read(&mut buffer)).await {
                    Ok(count) => connection.received(&buffer[..count?]),
                    Err(_elapsed) => connection.timed_out(),
                }
            }
            Step::Sleep(pause) => task::sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => {
                async_std::io::timeout(WRITE_TIME, stream.write_all(&bytes)).await?;
                // Let others go first: a client that never pauses would keep this thread.
                task::yield_now().await;
            }
            Step::FinishWriting => stream.shutdown(Shutdown::Write)?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle

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
