// Wrong: a thread for tasks on each core: a client of /work for each core holds them all.
// The check says: which no thread of a task computes

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task;

/// Something that computes for a while.
pub type Work = Arc<dyn Fn() -> String + Send + Sync>;

/// Reads a request, and answers it.
async fn handle(mut stream: TcpStream, work: Work) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).await?;
    let body = match buffer[..count].starts_with(b"GET /work ") {
        true => work(),
        false => "quick\n".to_owned(),
    };
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}

/// Serves clients forever, with tasks on this one thread. Nothing is wrong here.
pub fn serve(listener: TcpListener, work: Work) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream, Arc::clone(&work)));
        }
    });
}
