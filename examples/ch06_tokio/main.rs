//! Rung 6: tokio.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch06_tokio

use std::{io, sync::Arc};

use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio::{fs, select};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    let options = Options::from_args("ch06_tokio");
    let listener = options.bind();
    let site = Site::new(&options);
    let stop = stop_on_signal()?;
    options.announce(&listener, "a task for each connection");
    // tokio takes over the socket, and must never block on it.
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener)?, site, stop).await;
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `stop` completes, then gives what is in flight five seconds.
async fn serve(listener: TcpListener, site: Arc<Site>, stop: impl Future<Output = ()>) {
    let tasks = TaskTracker::new();
    let closing = CancellationToken::new();
    tasks.spawn(accept(listener, Arc::clone(&site), tasks.clone(), closing.clone()));
    stop.await;
    closing.cancel();
    site.start_closing();
    // From here on `wait` returns as soon as no task is left.
    tasks.close();
    let _ = timeout(GRACE_TIME, tasks.wait()).await;
}

/// Gives each connection a task of its own, until `closing` is cancelled.
async fn accept(
    listener: TcpListener,
    site: Arc<Site>,
    tasks: TaskTracker,
    closing: CancellationToken,
) {
    let mut errors = AcceptErrors::new();
    while let Some(accepted) = closing.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, _)) => {
                let (site, closing) = (Arc::clone(&site), closing.clone());
                tasks.spawn(async move { handle(stream, &site, &closing).await });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site, closing: &CancellationToken) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => select! {
                // The client first: a request that has arrived is answered, also when we close.
                biased;
                read = timeout(within, stream.read(&mut buffer)) => match read {
                    Ok(count) => connection.received(&buffer[..count?]),
                    Err(_elapsed) => connection.timed_out(),
                },
                // New: when the server closes, nobody waits for a client that asked for nothing.
                () = closing.cancelled(), if connection.is_idle() => return Ok(()),
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

// ANCHOR: stop
/// New: a future that completes on Ctrl-C or SIGTERM. The signals are caught from this call on.
#[cfg(unix)]
fn stop_on_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// The same on Windows, which has no SIGTERM.
#[cfg(windows)]
fn stop_on_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move { drop(interrupt.recv().await) })
}
// ANCHOR_END: stop
