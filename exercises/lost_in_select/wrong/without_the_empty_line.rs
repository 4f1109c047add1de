// Wrong: doesn't count the empty line, which belongs to the request.
// The check says: bytes, " and the number of ticks

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
    // What has come so far. It outlives the futures that `select!` drops.
    let mut received = Vec::new();
    loop {
        select! {
            read = read_head(&mut stream, &mut received) => {
                read?;
                let body = format!("{} bytes, {ticks} ticks\n", received.len() - 4);
                return answer(&mut stream, &body).await;
            }
            _ = clock.tick() => ticks += 1,
        }
    }
}

/// Reads up to the empty line. What was received before counts, so it may be cancelled and begun again.
async fn read_head(stream: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<()> {
    while !received.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(received).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
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
