//! What the six ways share: a database that answers few at a time, and a page that asks it.

use std::io::{self, ErrorKind};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::sleep;

// ANCHOR: database
/// How many queries the database answers at the same time.
pub const SLOTS: usize = 5;

/// How long each of them takes. So 5 / 0.05 s = 100 are answered per second, and no more.
pub const QUERY: Duration = Duration::from_millis(50);

/// A database. Queries that find no slot wait, and the first to come is the first to be answered.
pub struct Database {
    slots: Semaphore,
}

impl Database {
    pub fn new() -> Database {
        Database { slots: Semaphore::new(SLOTS) }
    }

    pub async fn query(&self) {
        let _slot = self.slots.acquire().await.expect("nobody closes it");
        sleep(QUERY).await;
    }
}
// ANCHOR_END: database

// ANCHOR: http
/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Page {
    /// `/query`, which needs the database.
    Query,
    /// Any other, such as `/`, which needs nothing.
    Plain,
}

/// Reads a request up to its empty line.
pub async fn request(stream: &mut TcpStream) -> io::Result<Page> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > 4096 || stream.read_buf(&mut head).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(if head.starts_with(b"GET /query ") { Page::Query } else { Page::Plain })
}

/// Sends an answer that has a status and no more.
pub async fn answer(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await
}
// ANCHOR_END: http
