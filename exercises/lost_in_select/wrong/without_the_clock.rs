// Wrong: takes the clock away: nothing is dropped any more, but nothing else can happen while it reads.
// The check says: a clock that ticks while the server reads

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::select;
use tokio::time::interval;

/// Serves one client: reads its request while it counts the ticks of a clock.
async fn handle(mut stream: TcpStream) -> io::Result<()> {
    let head = read_head(&mut stream).await?;
    let body = format!("{} bytes, 0 ticks\n", head.len());
    answer(&mut stream, &body).await
}

/// Reads up to the empty line.
async fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut received = Vec::new();
    while !received.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut received).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(received)
}

/// Sends an answer. Nothing is wrong here, nor below.
async fn answer(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}

/// Serves clients forever, with a task for each.
pub fn serve(listener: TcpListener) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream));
        }
    });
}
