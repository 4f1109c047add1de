// Bound the questions asked at the same time.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// Serves clients forever; at most `most` of them ask the database at the same time.
pub fn serve(listener: TcpListener, database: SocketAddr, most: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        let permits = Arc::new(Semaphore::new(most));
        while let Ok((stream, _)) = listener.accept().await {
            let permits = Arc::clone(&permits);
            tokio::spawn(async move { handle(stream, database, &permits).await });
        }
    });
}

/// Reads a request, asks the database, answers.
async fn handle(
    mut stream: TcpStream,
    database: SocketAddr,
    permits: &Semaphore,
) -> io::Result<()> {
    let _count = stream.read(&mut [0; 4096]).await?;
    let body = {
        // Given back at the end of this block, also when the question fails.
        let _permit = permits.acquire().await.expect("it is never closed");
        ask(database).await?
    };
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}

/// Asks the database. Nothing is wrong here.
async fn ask(database: SocketAddr) -> io::Result<String> {
    let mut connection = TcpStream::connect(database).await?;
    connection.write_all(b"how are you?\n").await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    Ok(answer)
}
