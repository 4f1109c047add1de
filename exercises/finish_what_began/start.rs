// Finish what has begun.
//
// When `stop` is cancelled, the server returns immediately; its runtime ends, and every task with it.
// Clients that wait for their response see their connection close instead.
//
// Your turn: stop accepting, as it does now, and then wait for the tasks that still run.

use std::io;
use std::net::{SocketAddr, TcpListener};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Serves clients until `stop` is cancelled.
pub fn serve(listener: TcpListener, database: SocketAddr, stop: CancellationToken) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        while let Some(Ok((stream, _))) = stop.run_until_cancelled(listener.accept()).await {
            tokio::spawn(handle(stream, database));
        }
    });
}

/// Reads a request, asks the database, answers. Nothing is wrong here.
async fn handle(mut stream: TcpStream, database: SocketAddr) -> io::Result<()> {
    let _count = stream.read(&mut [0; 4096]).await?;
    let mut connection = TcpStream::connect(database).await?;
    connection.write_all(b"how are you?\n").await?;
    let mut body = String::new();
    connection.read_to_string(&mut body).await?;
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}
