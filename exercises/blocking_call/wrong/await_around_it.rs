// Wrong: puts an `async` block and an `.await` around the calls that block, but they still block.
// The check says: the database never had more than 1 of the questions open

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use smol::Async;
use smol::io::{AsyncReadExt, AsyncWriteExt};

/// Serves clients forever, on the thread that calls it.
pub fn serve(listener: TcpListener, database: SocketAddr) {
    let executor = smol::LocalExecutor::new();
    let accept = async {
        let listener = Async::<TcpListener>::try_from(listener).expect("it is a socket");
        while let Ok((stream, _)) = listener.accept().await {
            executor.spawn(handle(stream, database)).detach();
        }
    };
    smol::block_on(executor.run(accept));
}

/// Reads a request, asks the database, answers.
async fn handle(mut stream: Async<TcpStream>, database: SocketAddr) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let count = stream.read(&mut buffer).await?;
    let first_line = buffer[..count].split(|byte| *byte == b'\r').next().unwrap_or_default();
    let body = ask(database, first_line).await?;
    let head = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}").as_bytes()).await?;
    stream.write_all(&body).await
}

/// Sends a question to the database, and returns its answer: all bytes up to the end.
async fn ask(database: SocketAddr, question: &[u8]) -> io::Result<Vec<u8>> {
    let mut connection = async { TcpStream::connect(database) }.await?;
    connection.write_all(question)?;
    connection.write_all(b"\n")?;
    let mut answer = Vec::new();
    async { connection.read_to_end(&mut answer) }.await?;
    Ok(answer)
}
