//! A deadline for each request, and no other bound: `cargo run --example rush_deadline`
mod database;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use database::{Database, Page, answer, request};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// How long a query may take, the wait for it included: a little less than a client waits.
const DEADLINE: Duration = Duration::from_millis(450);

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
        [option, number] if option == "--port" => number.parse().expect("a port is a number"),
        _ => panic!("the only option is `--port N`"),
    }
}

// ANCHOR: serve
/// Serves clients until the listener fails.
pub async fn serve(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/", listener.local_addr()?);
    let database = Arc::new(Database::new());
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(handle(stream, Arc::clone(&database)));
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(mut stream: TcpStream, database: Arc<Database>) -> io::Result<()> {
    if request(&mut stream).await? == Page::Query {
        let Ok(()) = timeout(DEADLINE, database.query()).await else {
            return answer(&mut stream, "503 Service Unavailable").await;
        };
    }
    answer(&mut stream, "200 OK").await
}
// ANCHOR_END: handle
