// Find out why all tasks wait for one.
//
// The server keeps a list of its visitors and tells each the database's answer. When the database is slow
// for one visitor, all the others wait too, although the database would answer them immediately.
//
// Your turn: find out what they wait for, and let them through.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// What the database has answered, the newest last.
type Visitors = Arc<Mutex<Vec<String>>>;

/// Serves one client.
async fn handle(mut stream: TcpStream, database: SocketAddr, visitors: Visitors) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).await?;
    let first_line = buffer[..count].split(|byte| *byte == b'\r').next().unwrap_or_default();

    let mut visitors = visitors.lock().await;
    let answer = ask(database, first_line).await?;
    visitors.push(answer.clone());
    let body = format!("visitor {}: {answer}", visitors.len());

    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}

/// Asks the database. Nothing is wrong here, nor below.
async fn ask(database: SocketAddr, question: &[u8]) -> io::Result<String> {
    let mut connection = TcpStream::connect(database).await?;
    connection.write_all(question).await?;
    connection.write_all(b"\n").await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// Serves clients forever, with a task for each.
pub fn serve(listener: TcpListener, database: SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("the system has what a runtime needs").block_on(async move {
        listener.set_nonblocking(true).expect("it is a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
        let visitors = Visitors::default();
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(handle(stream, database, Arc::clone(&visitors)));
        }
    });
}
