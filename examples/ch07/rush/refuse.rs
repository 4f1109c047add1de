//! An answer 503 for whoever would wait too long: `cargo run --example rush_refuse`
mod database;

use std::io;
use std::sync::Arc;

use database::{Database, Page, answer, request};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How many queries may be in flight: five that the database answers, and twenty that wait for it.
const IN_FLIGHT: usize = 25;

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
    let in_flight = Arc::new(Semaphore::new(IN_FLIGHT));
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(handle(stream, Arc::clone(&database), Arc::clone(&in_flight)));
    }
}
// ANCHOR_END: serve

// ANCHOR: handle
async fn handle(
    mut stream: TcpStream,
    database: Arc<Database>,
    in_flight: Arc<Semaphore>,
) -> io::Result<()> {
    if request(&mut stream).await? == Page::Query {
        let Ok(_permit) = in_flight.try_acquire() else {
            return answer(&mut stream, "503 Service Unavailable").await;
        };
        database.query().await;
    }
    answer(&mut stream, "200 OK").await
}
// ANCHOR_END: handle
