// Wrong: its stop ends the tasks wherever they are, even in the middle of an echo.
// The check says: bytes came back that were sent before the stop

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Sends back what clients send, until `stop` is ready. A client has `patience` for each word.
pub async fn serve(listener: TcpListener, patience: Duration, stop: impl Future<Output = ()>) {
    let mut tasks = JoinSet::new();
    select! {
        () = stop => {}
        () = accept(listener, patience, &mut tasks) => {}
    }
    tasks.shutdown().await;
}

/// Never returns.
async fn accept(listener: TcpListener, patience: Duration, tasks: &mut JoinSet<io::Result<()>>) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tasks.spawn(echo(stream, patience));
        }
    }
}

async fn echo(mut stream: TcpStream, patience: Duration) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = timeout(patience, stream.read(&mut buffer)).await??;
        if count == 0 {
            return Ok(());
        }
        timeout(patience, stream.write_all(&buffer[..count])).await??;
    }
}
