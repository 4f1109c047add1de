// Wrong: polls the reading first, but the clock still drops it, with what it has read.
// The check says: a response to the pieces

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::select;
use tokio::time::interval;

/// Serves one client: reads its request while it counts the ticks of a clock.
async fn handle(mut stream: TcpStream) -> io::Result<()> {
    let mut clock = interval(Duration::from_millis(10));
    let mut ticks = 0;
    loop {
        select! {
            biased;
            head = read_head(&mut stream) => {
                let body = format!("{} bytes, {ticks} ticks\n", head?.len());
                return answer(&mut stream, &body).await;
            }
            _ = clock.tick() => ticks += 1,
        }
    }
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
