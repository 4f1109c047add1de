//! A task owns the emblems: `cargo run --example emblem_owner`
#[path = "../draw.rs"]
mod draw;
mod gallery;
#[path = "../http.rs"]
mod http;
#[path = "../pages.rs"]
mod pages;
#[path = "../port.rs"]
mod port;
mod wire;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use gallery::Gallery;
use http::Answer;
use pages::{INDEX, name_in};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::sleep;
use wire::Head;

/// The pause after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port::port())).await?;
    serve(listener).await
}

/// Says where it listens, and serves whoever connects.
async fn serve(listener: TcpListener) -> io::Result<()> {
    println!("listening on http://{}/", listener.local_addr()?);
    let gallery = Gallery::open();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let gallery = gallery.clone();
                tokio::spawn(async move {
                    // A client that leaves ends its own connection only.
                    if let Err(error) = handle(stream, &gallery).await {
                        eprintln!("{peer}: {error}");
                    }
                });
            }
            // Perhaps no descriptor is left. Some connections will end soon.
            Err(error) => {
                eprintln!("accept: {error}");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Serves one client, on a socket or on anything else that it can read and write.
async fn handle(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    gallery: &Gallery,
) -> io::Result<()> {
    let mut head = Vec::new();
    let answer = match wire::read_head(&mut stream, &mut head).await? {
        Head::Whole => answer(&head, gallery).await,
        Head::Missing => return Ok(()),
        Head::Refused(status) => Err(status),
    };
    wire::write(&mut stream, &http::response(&head, &answer)).await?;
    wire::end(&mut stream).await
}

async fn answer(head: &[u8], gallery: &Gallery) -> Answer {
    let path = http::path(head)?;
    match (path, name_in(path)) {
        ("/", _) => Ok(INDEX.into()),
        ("/names", _) => Ok(gallery.names().await.into()),
        (_, Some(name)) => Ok(emblem(name, gallery).await),
        (_, None) => Err("404 Not Found"),
    }
}

/// The emblem of a name, drawn if it is not kept yet.
async fn emblem(name: &str, gallery: &Gallery) -> Arc<str> {
    if let Some(kept) = gallery.find(name).await {
        return kept;
    }
    // Holds up the worker that runs this task: the next stop mends it.
    let drawn: Arc<str> = draw::draw(name).into();
    gallery.keep(name, &drawn).await;
    drawn
}
