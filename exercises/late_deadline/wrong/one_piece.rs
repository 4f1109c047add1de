// Wrong: answers the first piece, whether the request is whole or not.
// The check says: before the request was whole

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::select;
use tokio::time::sleep;

/// Serves one client, which has `limit` to send its request.
async fn handle(mut stream: TcpStream, limit: Duration) -> io::Result<()> {
    let mut received = Vec::new();
    // Made once, so that it outlives the iterations, and pinned, so that it may be polled again.
    let mut deadline = pin!(sleep(limit));
    if !received.ends_with(b"\r\n\r\n") {
        select! {
            read = stream.read_buf(&mut received) => {
                if read? == 0 {
                    return Ok(());
                }
                println!("{} bytes so far", received.len());
            }
            () = &mut deadline => return answer(&mut stream, "408 Request Timeout").await,
        }
    }
    answer(&mut stream, "200 OK").await
}

/// Sends an answer without a body. Nothing is wrong here, nor below.
async fn answer(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await
}

/// Serves clients forever, with a task for each, which has `limit` to send its request.
pub fn serve(listener: TcpListener, limit: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream, limit));
        }
    });
}
