// Wrong: gives up long after the limit is over.
// The check says: the server closed a connection only after

use std::io;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::{Async, Timer, future};

/// The output of `future`, or `None` if `limit` is over first.
async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let in_time = async { Some(future.await) };
    let too_late = async {
        Timer::after(4 * limit).await;
        None
    };
    // The loser is dropped at one of its awaits.
    future::or(in_time, too_late).await
}

/// Serves clients forever. A client has `patience` for its request. Nothing is wrong from here on.
pub fn serve(listener: TcpListener, patience: Duration) {
    let executor = smol::LocalExecutor::new();
    let accept = async {
        let listener = Async::<TcpListener>::try_from(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            executor.spawn(handle(stream, patience)).detach();
        }
    };
    smol::block_on(executor.run(accept));
}

async fn handle(mut stream: Async<TcpStream>, patience: Duration) -> io::Result<()> {
    match within(patience, read_head(&mut stream)).await {
        Some(head) => drop(head?),
        None => return Ok(()),
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n").await
}

/// Reads up to the empty line.
async fn read_head(stream: &mut Async<TcpStream>) -> io::Result<Vec<u8>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    while !received.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut buffer).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => received.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(received)
}
