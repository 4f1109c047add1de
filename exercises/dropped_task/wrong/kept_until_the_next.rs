// Wrong: keeps one task only: the next takes its place, which drops and cancels it.
// The check says: then the connection

use std::io;
use std::net::{TcpListener, TcpStream};

use smol::Async;
use smol::io::{AsyncReadExt, AsyncWriteExt};

/// Serves clients forever, with a task for each.
pub fn serve(listener: TcpListener) {
    let executor = smol::LocalExecutor::new();
    let accept = async {
        let listener = Async::<TcpListener>::try_from(listener).expect("it is a socket");
        let mut task = None;
        while let Ok((stream, _)) = listener.accept().await {
            task = Some(executor.spawn(handle(stream)));
        }
    };
    smol::block_on(executor.run(accept));
}

/// Reads a request, and answers it.
async fn handle(mut stream: Async<TcpStream>) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).await?;
    let body = format!("your request has {count} bytes\n");
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}{body}").as_bytes()).await
}
