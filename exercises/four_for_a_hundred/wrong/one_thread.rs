// Wrong: one thread runs all tasks, and three stay unused.
// The check says: threads for 100 clients

use std::io;
use std::net::{SocketAddr, TcpListener};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

/// Serves clients forever, with four threads.
pub fn serve(listener: TcpListener, database: SocketAddr) {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        // Tokio must never block on the socket it takes over.
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream, database));
        }
    });
}

/// Reads a request, asks the database, answers.
async fn handle(mut stream: TcpStream, database: SocketAddr) -> io::Result<()> {
    let _count = stream.read(&mut [0; 4096]).await?;
    let body = ask(database).await?;
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}

/// Asks the database: a line there, and everything back.
async fn ask(database: SocketAddr) -> io::Result<String> {
    let mut connection = TcpStream::connect(database).await?;
    connection.write_all(b"how are you?\n").await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    Ok(answer)
}
