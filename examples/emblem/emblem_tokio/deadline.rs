//! A client waits for a permit for a while, and for its answer until a deadline: `cargo run --example emblem_deadline`
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
use std::thread::available_parallelism;
use std::time::Duration;

use gallery::Gallery;
use http::Answer;
use pages::{INDEX, name_in};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use wire::Head;

/// How long a client waits for a permit to draw.
const WAIT: Duration = Duration::from_secs(2);

/// How long it waits for its answer, the wait for a permit included.
const DEADLINE: Duration = Duration::from_secs(10);

/// The pause after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How many clients may be connected at the same time.
const CLIENTS: usize = 500;

/// What all connections share.
#[derive(Clone)]
struct Service {
    /// What has been drawn.
    gallery: Gallery,
    /// A permit for each emblem that may be drawn at the same time.
    drawing: Arc<Semaphore>,
    /// Draws an emblem. A test has another one.
    draw: fn(&str) -> String,
}

impl Service {
    /// A service that draws on so many threads.
    fn new(threads: usize) -> Service {
        Service {
            gallery: Gallery::open(),
            drawing: Arc::new(Semaphore::new(threads)),
            draw: draw::draw,
        }
    }
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port::port())).await?;
    serve(listener).await
}

/// Says where it listens, and serves whoever connects.
async fn serve(listener: TcpListener) -> io::Result<()> {
    println!("listening on http://{}/", listener.local_addr()?);
    let threads = available_parallelism().map_or(2, usize::from);
    let service = Service::new(threads);
    let permits = Arc::new(Semaphore::new(CLIENTS));
    loop {
        // Waits here until a permit is free. Further clients stay in the kernel's backlog.
        let permit = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
        match listener.accept().await {
            Ok((stream, peer)) => {
                let service = service.clone();
                tokio::spawn(async move {
                    // A client that leaves ends its own connection only.
                    if let Err(error) = handle(stream, &service).await {
                        eprintln!("{peer}: {error}");
                    }
                    drop(permit);
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
    service: &Service,
) -> io::Result<()> {
    let mut head = Vec::new();
    let answer = match wire::read_head(&mut stream, &mut head).await? {
        Head::Whole => match timeout(DEADLINE, answer(&head, service)).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err("503 Service Unavailable"),
        },
        Head::Missing => return Ok(()),
        Head::Refused(status) => Err(status),
    };
    wire::write(&mut stream, &http::response(&head, &answer)).await?;
    wire::end(&mut stream).await
}

async fn answer(head: &[u8], service: &Service) -> Answer {
    let path = http::path(head)?;
    match (path, name_in(path)) {
        ("/", _) => Ok(INDEX.into()),
        ("/names", _) => Ok(service.gallery.names().await.into()),
        (_, Some(name)) => emblem(name, service).await,
        (_, None) => Err("404 Not Found"),
    }
}

/// The emblem of a name, drawn if it is not kept yet.
///
/// # Errors
/// With the status of the refusal.
async fn emblem(name: &str, service: &Service) -> Answer {
    if let Some(kept) = service.gallery.find(name).await {
        return Ok(kept);
    }
    let permit = match timeout(WAIT, Arc::clone(&service.drawing).acquire_owned()).await {
        Ok(permit) => permit.expect("nobody closes it"),
        Err(_elapsed) => return Err("503 Service Unavailable"),
    };
    let draw = service.draw;
    let owned = name.to_owned();
    let drawing = spawn_blocking(move || {
        let drawn = draw(&owned);
        // Here and not in the task, which may be gone while the thread still draws.
        drop(permit);
        drawn
    });
    match drawing.await {
        Ok(drawn) => {
            let drawn: Arc<str> = drawn.into();
            service.gallery.keep(name, &drawn).await;
            Ok(drawn)
        }
        // It has panicked, and its message has been printed.
        Err(_panic) => Err("500 Internal Server Error"),
    }
}
