//! Which writing half ends its direction when it is dropped: `cargo run --example halves`
use std::io;
use std::time::Duration;

use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::codec::{Framed, LinesCodec};

/// How long the other side waits for an end.
const MOMENT: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() -> io::Result<()> {
    let (mut stream, other) = connected().await?;
    {
        let (_reader, _writer) = stream.split();
    }
    report("stream.split()", other).await;
    let (stream, other) = connected().await?;
    let (_reader, writer) = stream.into_split();
    drop(writer);
    report("stream.into_split()", other).await;
    let (stream, other) = connected().await?;
    let (_reader, writer) = tokio::io::split(stream);
    drop(writer);
    report("tokio::io::split(stream)", other).await;
    let (stream, other) = connected().await?;
    let framed = Framed::new(stream, LinesCodec::new());
    let (writer, _reader) = framed.split::<String>();
    drop(writer);
    report("framed.split()", other).await;
    let (stream, other) = connected().await?;
    let stream = stream.into_std()?;
    drop(stream.try_clone()?);
    report("try_clone()", other).await;

    // The half of a task ends with the task, whatever that was doing.
    let (stream, other) = connected().await?;
    let (_reader, writer) = stream.into_split();
    let task = tokio::spawn(say_half(writer));
    // Until it has said it.
    other.peek(&mut [0]).await?;
    task.abort();
    report("a task that is aborted", other).await;
    Ok(())
}

/// Says half a message, and waits for the rest of it.
async fn say_half(mut writer: OwnedWriteHalf) -> io::Result<()> {
    writer.write_all(b"half a mes").await?;
    std::future::pending().await
}

/// Both ends of a new connection.
async fn connected() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let ours = TcpStream::connect(listener.local_addr()?).await?;
    let (other, _) = listener.accept().await?;
    Ok((ours, other))
}

/// Reads at the other side, and prints what comes.
async fn report(half: &str, mut other: TcpStream) {
    let mut received = Vec::new();
    let how = match timeout(MOMENT, other.read_to_end(&mut received)).await {
        Ok(Ok(_count)) => "then the end",
        Ok(Err(_reset)) => "then an error",
        Err(_nothing) => "and no end",
    };
    println!("{half:26}{:?}, {how}", String::from_utf8_lossy(&received));
}
