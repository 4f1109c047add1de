//! It says what it does, a line for each request and each fault: `cargo run --example emblem_log`
//!
//! What is public is for the tests in `emblem_tested`.
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

use std::fmt::Display;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process;
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
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::Head;

/// How long a client waits for a permit to draw.
pub const WAIT: Duration = Duration::from_secs(2);

/// How long it waits for its answer, the wait for a permit included.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// How long the clients that are being served have when the server stops.
pub const GRACE: Duration = Duration::from_secs(5);

/// The pause after an `accept` that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// How many clients may be connected at the same time.
const CLIENTS: usize = 500;

/// So much of a request's first line is written to the log, in bytes.
const LINE: usize = 100;

/// What all connections share.
#[derive(Clone)]
pub struct Service {
    /// What has been drawn.
    pub gallery: Gallery,
    /// A permit for each emblem that may be drawn at the same time.
    pub drawing: Arc<Semaphore>,
    /// Draws an emblem. A test has another one.
    pub draw: fn(&str) -> String,
    /// Cancelled when the server stops.
    pub stopping: CancellationToken,
}

impl Service {
    /// A service that draws on so many threads.
    pub fn new(threads: usize) -> Service {
        Service {
            gallery: Gallery::open(),
            drawing: Arc::new(Semaphore::new(threads)),
            draw: draw::draw,
            stopping: CancellationToken::new(),
        }
    }
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port::port())).await?;
    let connections = TaskTracker::new();
    let threads = available_parallelism().map_or(2, usize::from);
    let service = Service::new(threads);
    tokio::select! {
        // From top to bottom, so that the server hears signals before it prints its port.
        biased;
        told = told_to_stop() => told?,
        failed = serve(listener, &service, &connections) => failed?,
    }
    // The listener was dropped with `serve`, so new clients are refused.
    let status = finish(&service, &connections).await;
    // Returning would wait for each thread that still draws, however long that takes.
    process::exit(status)
}

/// Ends what is being served: the exit status.
pub async fn finish(service: &Service, connections: &TaskTracker) -> i32 {
    service.stopping.cancel();
    connections.close();
    match timeout(GRACE, connections.wait()).await {
        Ok(()) => 0,
        Err(_elapsed) => {
            log(format_args!("{} clients are cut off", connections.len()));
            1
        }
    }
}

/// Waits for Ctrl-C, or for the signal by which a program stops another.
#[cfg(unix)]
async fn told_to_stop() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn told_to_stop() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Says where it listens, and serves whoever connects.
pub async fn serve(
    listener: TcpListener,
    service: &Service,
    connections: &TaskTracker,
) -> io::Result<()> {
    println!("listening on http://{}/", listener.local_addr()?);
    let permits = Arc::new(Semaphore::new(CLIENTS));
    loop {
        // Waits here until a permit is free. Further clients stay in the kernel's backlog.
        let permit = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
        match listener.accept().await {
            Ok((stream, peer)) => {
                let service = service.clone();
                connections.spawn(async move {
                    // A client that leaves ends its own connection only.
                    if let Err(error) = handle(stream, peer, &service).await {
                        log(format_args!("{peer} error: {error}"));
                    }
                    drop(permit);
                });
            }
            // Perhaps no descriptor is left. Some connections will end soon.
            Err(error) => {
                log(format_args!("accept: {error}"));
                sleep(PAUSE).await;
            }
        }
    }
}

/// Serves one client, on a socket or on anything else that it can read and write.
pub async fn handle(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: SocketAddr,
    service: &Service,
) -> io::Result<()> {
    let start = Instant::now();
    let mut head = Vec::new();
    let read = tokio::select! {
        // What has come already is read first.
        biased;
        read = wire::read_head(&mut stream, &mut head) => read?,
        // A client that has asked for nothing loses nothing.
        () = service.stopping.cancelled() => return Ok(()),
    };
    let answer = match read {
        Head::Whole => match timeout(DEADLINE, answer(&head, service)).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err("503 Service Unavailable"),
        },
        Head::Missing => return Ok(()),
        Head::Refused(status) => Err(status),
    };
    wire::write(&mut stream, &http::response(&head, &answer)).await?;
    let status = answer.err().unwrap_or("200 OK");
    let took = start.elapsed().as_millis();
    log(format_args!("{peer} {} {status}, {took} ms", first_line(&head)));
    wire::end(&mut stream).await
}

/// The first line of a head, harmless to a terminal and to whoever reads the log line by line.
fn first_line(head: &[u8]) -> String {
    let line = head.trim_ascii_start().split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = &line[..line.len().min(LINE)];
    String::from_utf8_lossy(line).escape_debug().collect()
}

/// Writes a line to standard error.
fn log(line: impl Display) {
    // `eprintln!` panics where nobody reads standard error any more, and a log may not end a service.
    let _ = writeln!(io::stderr(), "{line}");
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
