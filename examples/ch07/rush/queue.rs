//! A queue with a bound and a short backlog; when both are full, clients don't get in: `cargo run --example rush_queue`
mod database;
mod listen;

use std::io;
use std::sync::Arc;

use database::{Database, Page, SLOTS, answer, request};
use listen::{BACKLOG, listen};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, mpsc};

/// How many clients may wait in the queue.
const QUEUE: usize = 20;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    serve(port(), BACKLOG).await
}
// ANCHOR_END: main

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: serve
/// Serves clients until the listener fails.
pub async fn serve(port: u16, backlog: u32) -> io::Result<()> {
    let listener = listen(port, backlog)?;
    println!("listening on http://{}/", listener.local_addr()?);
    let database = Arc::new(Database::new());
    let (queue, clients) = mpsc::channel(QUEUE);
    let clients = Arc::new(Mutex::new(clients));
    for _ in 0..SLOTS {
        tokio::spawn(work(Arc::clone(&clients), Arc::clone(&database)));
    }
    loop {
        let (stream, _) = listener.accept().await?;
        // Waits here while the queue is full. Further clients stay in the kernel's backlog.
        queue.send(stream).await.expect("the workers are there");
    }
}

/// A worker: takes a client from the queue and serves it, then the next.
async fn work(clients: Arc<Mutex<mpsc::Receiver<TcpStream>>>, database: Arc<Database>) {
    loop {
        // The lock is free again at the end of this statement.
        let next = clients.lock().await.recv().await;
        let Some(stream) = next else { return };
        // A client that leaves ends its own connection only.
        let _ = handle(stream, &database).await;
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(mut stream: TcpStream, database: &Database) -> io::Result<()> {
    if request(&mut stream).await? == Page::Query {
        database.query().await;
    }
    answer(&mut stream, "200 OK").await
}
// ANCHOR_END: handle
