//! Wrong: blocking calls inside the tasks of Tokio.
//!
//! Source 000 has `std::fs` in its async-std server, and `thread::sleep` and blocking reads in its
//! server on futures. A task gives its thread back at `.await`, and nowhere else: while the calls
//! marked below block, one of the runtime's threads serves no client. With as many such requests as
//! threads, all clients wait, new clients too. `ch06_tokio` is the same server with the calls of
//! Tokio.

use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::{fs, io, thread};

use site::{AcceptErrors, Connection, Site, Step, WRITE_TIME, compute};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::options::{Fault, Options};

/// Blocks the threads of a runtime.
pub const FAULT: Fault = Fault {
    name: "blocking-in-task",
    what: "tokio, with blocking sleeps and file reads inside its tasks",
    takes: &["--keep-alive", "--threads"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let threads = options.threads.get();
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let runtime = options.started("its threads", runtime);
    let listener = options.listen();
    options.announce(listener.local_addr()?, format_args!("tokio on {threads} worker threads"));
    runtime.block_on(serve(listener, site))
}

/// Accepts connections and gives each its own task, forever.
async fn serve(listener: StdListener, site: Arc<Site>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let mut errors = AcceptErrors::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                tokio::spawn(async move { handle(stream, &site).await });
            }
            Err(error) => sleep(errors.pause_after(&error)).await,
        }
    }
}

/// Serves one connection from its first byte to its last.
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
            // Wrong: the whole thread sleeps, with all its tasks.
            Step::Sleep(pause) => thread::sleep(pause),
            // Wrong: the whole thread waits for the disk.
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => timeout(WRITE_TIME, stream.write_all(&bytes)).await??,
            Step::FinishWriting => stream.shutdown().await?,
            Step::Close => return Ok(()),
        }
    }
}
