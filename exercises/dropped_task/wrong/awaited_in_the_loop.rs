// Wrong: awaits each task before it accepts the next client, so it serves them in turn.
// The check says: while one that came before has not asked yet

use std::io;
use std::net::{TcpListener, TcpStream};

use smol::Async;
use smol::io::{AsyncReadExt, AsyncWriteExt};

/// Serves clients forever, with a task for each.
pub fn serve(listener: TcpListener) {
    let executor = smol::LocalExecutor::new();
    let accept = async {
        let listener = Async::<TcpListener>::try_from(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            let _ = executor.spawn(handle(stream)).await;
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
