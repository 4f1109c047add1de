//! What `reuse-port` and `one-listener` share: threads with an event loop and a listener each.

use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{io, process, thread};

use site::{AcceptErrors, Connection, Site, Step, WRITE_TIME, compute};
use tokio::fs;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use crate::options::Options;

/// Serves each listener on its own thread, forever. `what` each has is in the line printed.
pub fn run(
    options: &Options,
    site: &Arc<Site>,
    listeners: Vec<StdListener>,
    what: &str,
) -> io::Result<()> {
    let address = listeners[0].local_addr()?;
    let accepted: Arc<[AtomicU64]> = listeners.iter().map(|_| AtomicU64::new(0)).collect();
    let loops = listeners.into_iter().map(on_loop).collect::<io::Result<Vec<_>>>();
    let loops = options.started("its event loops", loops);
    count_on_signal(Arc::clone(&accepted))?;
    options.announce(address, format_args!("{} threads, {what}", options.threads));
    thread::scope(|scope| {
        for ((event_loop, listener), accepted) in loops.into_iter().zip(accepted.iter()) {
            scope.spawn(move || event_loop.block_on(accept(listener, site, accepted)));
        }
    });
    Ok(())
}

/// An event loop for one thread, and the listener it waits for.
fn on_loop(listener: StdListener) -> io::Result<(Runtime, TcpListener)> {
    let event_loop = Builder::new_current_thread().enable_all().build()?;
    listener.set_nonblocking(true)?;
    let entered = event_loop.enter();
    let listener = TcpListener::from_std(listener)?;
    drop(entered);
    Ok((event_loop, listener))
}

/// Accepts connections, counts them, and gives each a task on this thread, forever.
async fn accept(listener: TcpListener, site: &Arc<Site>, accepted: &AtomicU64) {
    let mut errors = AcceptErrors::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                let site = Arc::clone(site);
                tokio::spawn(async move { handle(stream, &site).await });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
}

/// Serves one connection from its first byte to its last. While `/work` computes, all the
/// others of its thread wait.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => match timeout(within, stream.read(&mut buffer)).await {
                Ok(Ok(0)) => connection.ended(),
                Ok(count) => connection.received(&buffer[..count?]),
                Err(_elapsed) => connection.timed_out(),
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

/// On Ctrl-C or SIGTERM: prints how many connections each thread has accepted, then ends the
/// process.
fn count_on_signal(accepted: Arc<[AtomicU64]>) -> io::Result<()> {
    let handler = move || {
        let counts: Vec<String> =
            accepted.iter().map(|count| count.load(Ordering::Relaxed).to_string()).collect();
        let counts = counts.join(" ");
        site::say(format_args!("wrong_servers: connections accepted by each thread: {counts}\n"));
        process::exit(0);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)
}
