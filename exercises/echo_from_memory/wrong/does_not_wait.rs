// Wrong: returns while its tasks are still there, and they end with the runtime, wherever they are.
// The check says: tasks were left when `serve` had returned

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::{select, time};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sends back what clients send, until `stop` is ready. A client has `patience` for its next word.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {
    let tasks = TaskTracker::new();
    let stopping = CancellationToken::new();
    let mut stop = pin!(stop);
    loop {
        select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    tasks.spawn(echo(stream, patience, stopping.clone()));
                }
                Err(error) => {
                    eprintln!("no connection: {error}");
                    time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    // New clients are refused from here on; otherwise they would wait in the backlog in vain.
    drop(listener);
    stopping.cancel();
}

async fn echo(
    mut stream: TcpStream,
    patience: Duration,
    stopping: CancellationToken,
) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        // A stop ends the wait for the next word, but not an echo that has begun.
        let read = select! {
            () = stopping.cancelled() => return Ok(()),
            read = time::timeout(patience, stream.read(&mut buffer)) => read,
        };
        let Ok(count) = read else {
            // The client has said nothing for too long.
            return Ok(());
        };
        let count = count?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await?;
    }
}
