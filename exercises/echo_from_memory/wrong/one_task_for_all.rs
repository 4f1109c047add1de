// Wrong: one task polls all clients, each of them at every wake-up.
// The check says: tasks for 21 clients

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a client may be silent after the stop: what it has sent before may be on its way.
const MOMENT: Duration = Duration::from_millis(100);

/// Sends back what clients send, until `stop` is ready. A client has `patience` for each word, and all together for the
/// end.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {
    let stopping = CancellationToken::new();
    let mut clients: Vec<Echo> = Vec::new();
    let mut stop = pin!(stop);
    loop {
        select! {
            () = &mut stop => break,
            Ok((stream, _)) = listener.accept() => {
                clients.push(Box::pin(echo(stream, patience, stopping.clone())));
            }
            () = poll_all(&mut clients), if !clients.is_empty() => {}
        }
    }
    drop(listener);
    stopping.cancel();
    let _ = timeout(patience, poll_all(&mut clients)).await;
}

type Echo = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Polls them all, until none is left.
async fn poll_all(clients: &mut Vec<Echo>) {
    poll_fn(|context| {
        clients.retain_mut(|client| client.as_mut().poll(context).is_pending());
        if clients.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await
}

async fn echo(
    mut stream: TcpStream,
    patience: Duration,
    stopping: CancellationToken,
) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let read = select! {
            read = timeout(patience, stream.read(&mut buffer)) => read,
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
