//! Step 1 of the runtime by hand: one thread runs all tasks and waits for all of them.
//!
//!     cargo run --example own_runtime_one_thread

mod fs;
mod net;
#[path = "queue_of_one_thread.rs"]
mod queue;
// The step has no time limits and no end, which the server has.
#[allow(dead_code, unused_imports)]
mod runtime;

use std::{io, sync::Arc, time::Duration};

use net::{TcpListener, TcpStream};
use runtime::{sleep, spawn};
use site::{Connection, Options, Site, Step, compute};

fn main() -> io::Result<()> {
    let options = Options::of("own_runtime_one_thread").read();
    runtime::start(1)?;
    let listener = options.bind();
    let site = Site::new(&options);
    options.announce(&listener, "one thread for all tasks");
    runtime::run(serve(TcpListener::from_std(listener)?, site));
    Ok(())
}

// ANCHOR: serve
/// Gives each connection its own task, forever.
async fn serve(listener: TcpListener, site: Arc<Site>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                spawn(async move { handle(stream, &site).await });
            }
            // No descriptor may be left. Until one is given back, `accept` would fail at once.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Serves one connection from its first byte to its last.
async fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            // Each `.await` gives the thread to another task.
            Step::Read { .. } => match stream.read(&mut buffer).await? {
                0 => connection.ended(),
                count => connection.received(&buffer[..count]),
            },
            Step::Sleep(pause) => sleep(pause).await,
            Step::ReadFile(path) => connection.file_read(fs::read(path).await),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => stream.write_all(&bytes).await?,
            Step::FinishWriting => stream.shutdown().await?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: serve
