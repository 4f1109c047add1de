// Wrong: spawns two tasks where one that waits twice would do.
// The check says: while nobody polled the page

use std::io;
use std::net::{SocketAddr, TcpStream};

use smol::Async;
use smol::future;
use smol::io::{AsyncReadExt, AsyncWriteExt};

/// The page, made of two answers of the database.
pub async fn page(database: SocketAddr) -> io::Result<String> {
    // Nothing has happened yet: a future does nothing until it is polled.
    let visitor = smol::spawn(async move { ask(database, "visitor").await });
    let basket = smol::spawn(async move { ask(database, "basket").await });
    let (visitor, basket) = future::try_zip(visitor, basket).await?;
    Ok(format!("{visitor}{basket}"))
}

/// Asks the database one thing. Nothing is wrong here.
async fn ask(database: SocketAddr, question: &str) -> io::Result<String> {
    let mut connection = Async::<TcpStream>::connect(database).await?;
    connection.write_all(format!("{question}\n").as_bytes()).await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    Ok(answer)
}
