//! The echo server with a time limit and a clean end: `cargo run --example tokio_stop`
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

/// How long a client may keep the server waiting.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long connected clients have when the server stops.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);

#[tokio::main]
async fn main() -> io::Result<()> {
    let connections = TaskTracker::new();
    tokio::select! {
        // From top to bottom, so that Ctrl-C is listened for before any client.
        biased;
        pressed = tokio::signal::ctrl_c() => pressed?,
        failed = serve(port(), &connections) => failed?,
    }
    // The listener was dropped with `serve`, so new clients are refused.
    println!("stopping; clients still connected: {}", connections.len());
    connections.close();
    match timeout(GRACE, connections.wait()).await {
        Ok(()) => println!("all of them have ended"),
        Err(_too_late) => println!("{} of them are cut off", connections.len()),
    }
    Ok(())
}

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

async fn serve(port: u16, connections: &TaskTracker) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                connections.spawn(async move {
                    // A client that fails ends its own connection only.
                    if let Err(error) = echo(stream).await {
                        eprintln!("{client}: {error}");
                    }
                });
            }
            Err(error) => {
                // No descriptor is left, perhaps: the next try may do better, but not at once.
                eprintln!("no client accepted: {error}");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = timeout(PATIENCE, stream.read(&mut buffer)).await??;
        if count == 0 {
            // The client has sent all that it will.
            return Ok(());
        }
        timeout(PATIENCE, stream.write_all(&buffer[..count])).await??;
    }
}
