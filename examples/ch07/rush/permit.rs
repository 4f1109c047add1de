//! A permit before accept, and a short backlog: `cargo run --example rush_permit`
mod database;
mod listen;

use std::io;
use std::sync::Arc;

use database::{Database, Page, answer, request};
use listen::{BACKLOG, listen};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// How many clients may be connected at the same time: five that the database serves, and twenty that wait for it.
const PERMITS: usize = 25;

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
    let permits = Arc::new(Semaphore::new(PERMITS));
    loop {
        // Waits here until a permit is free. Further clients stay in the kernel's backlog.
        let permit = Arc::clone(&permits).acquire_owned().await.expect("nobody closes it");
        let (stream, _) = listener.accept().await?;
        let database = Arc::clone(&database);
        tokio::spawn(async move {
            // A client that leaves ends its own connection only.
            let _ = handle(stream, &database).await;
            drop(permit);
        });
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
