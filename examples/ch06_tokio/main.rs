//! Rung 6: tokio.
//!
//! Run it, then open http://127.0.0.1:8080/ in a browser:
//!
//!     cargo run --example ch06_tokio

mod read_into;

use std::{io, process, sync::Arc, thread};

use read_into::read_into;
use site::{AcceptErrors, Connection, GRACE_TIME, Options, Site, Step, WRITE_TIME, compute};
use tokio::io::AsyncWriteExt;
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
    let closing = stop_on_signal(&site)?;
    options.announce(&listener, "a task for each connection");
    // tokio takes over the socket, and must never block on it.
    listener.set_nonblocking(true)?;
    serve(TcpListener::from_std(listener)?, site, closing).await;
    Ok(())
}
// ANCHOR_END: main

// ANCHOR: serve
/// Accepts connections until `closing` is cancelled, then waits for what is in flight.
async fn serve(listener: TcpListener, site: Arc<Site>, closing: CancellationToken) {
    let tasks = TaskTracker::new();
    tasks.spawn(accept(listener, site, tasks.clone(), closing.clone()));
    closing.cancelled().await;
    // From here on `wait` returns as soon as no task is left.
    tasks.close();
    tasks.wait().await;
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
    loop {
        match connection.next_step() {
            Step::Read { within } => select! {
                // The client first: a request that has arrived is answered, also when we close.
                biased;
                read = timeout(within, read_into(&mut connection, &mut stream)) => match read {
                    Ok(read) => read?,
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
/// New: on Ctrl-C or SIGTERM, cancels the token, and gives what is in flight five seconds.
fn stop_on_signal(site: &Arc<Site>) -> io::Result<CancellationToken> {
    let closing = CancellationToken::new();
    let (site, stopping) = (Arc::clone(site), closing.clone());
    // The handler runs on a thread of its own, as in rung 3. The runtime has signals and timers, too,
    // but its workers look at them between two polls, and a poll that computes can keep every worker.
    let handler = move || {
        site.start_closing();
        stopping.cancel();
        // If `main` gets to its end first, the process is gone before this sleep is over.
        thread::sleep(GRACE_TIME);
        // Something is cut off, and the exit status says so.
        process::exit(1);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(closing)
}
// ANCHOR_END: stop
