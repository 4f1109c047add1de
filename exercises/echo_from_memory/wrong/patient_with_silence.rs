// Wrong: closes the connection of a silent client, but after a time of its own.
// The check says: the connection of a silent client was closed only after

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a client may be silent after the stop: what it has sent before may be on its way.
const MOMENT: Duration = Duration::from_millis(100);

/// Sends back what clients send, until `stop` is ready. A client has `patience` for each word, and all together for the
/// end.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {
    let tasks = TaskTracker::new();
    let stopping = CancellationToken::new();
    select! {
        () = stop => {}
        () = accept(listener, patience, &tasks, &stopping) => {}
    }
    // The listener was dropped with `accept`, so new clients are refused.
    stopping.cancel();
    tasks.close();
    // Who is still there then ends with the runtime.
    let _ = timeout(patience, tasks.wait()).await;
}

/// Never returns.
async fn accept(
    listener: TcpListener,
    patience: Duration,
    tasks: &TaskTracker,
    stopping: &CancellationToken,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tasks.spawn(echo(stream, patience, stopping.clone()));
            }
            Err(error) => {
                eprintln!("no connection: {error}");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn echo(
    mut stream: TcpStream,
    patience: Duration,
    stopping: CancellationToken,
) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let read = select! {
            read = timeout(4 * patience, stream.read(&mut buffer)) => read,
            () = stopping.cancelled() => timeout(MOMENT, stream.read(&mut buffer)).await,
        };
        // One for a client that was silent for too long, and one for the read.
        let count = read??;
        if count == 0 {
            return Ok(());
        }
        timeout(patience, stream.write_all(&buffer[..count])).await??;
    }
}
