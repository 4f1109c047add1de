//! A permit before accept, and a short backlog: `cargo run --example rush_permit`
mod database;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use database::{Database, Page, answer, request};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;

/// How many clients may be inside at the same time: five that the database serves, and twenty that wait for it.
const PLACES: usize = 25;

/// How many clients the kernel keeps waiting outside.
const BACKLOG: u32 = 16;

// ANCHOR: main
#[tokio::main]
async fn main() -> io::Result<()> {
    serve(port()).await
}
// ANCHOR_END: main

/// The port that `--port` names; 8080 without it.
fn port() -> u16 {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => 8080,
        [option, number] if option == "--port" => number.parse().expect("a port"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: serve
/// Serves clients until the listener fails.
pub async fn serve(port: u16) -> io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    // As `TcpListener::bind` does, so that the port may be taken again immediately after an end.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    let listener = socket.listen(BACKLOG)?;
    println!("listening on http://{}/", listener.local_addr()?);
    let database = Arc::new(Database::new());
    let places = Arc::new(Semaphore::new(PLACES));
    loop {
        // Waits here until a place is free.
        let place = Arc::clone(&places).acquire_owned().await.expect("nobody closes it");
        let (stream, _) = listener.accept().await?;
        let database = Arc::clone(&database);
        tokio::spawn(async move {
            // A client that leaves ends its own connection only.
            let _ = handle(stream, &database).await;
            drop(place);
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
