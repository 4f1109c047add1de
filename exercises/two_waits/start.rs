// Let two waits overlap.
//
// A page needs two answers of a database: the visitor's name and the basket's contents. Neither
// question needs the other's answer, but the page asks the second only after the first has been answered.
//
// Your turn: let both questions wait at the same time, in one task.

use std::io;
use std::net::{SocketAddr, TcpStream};

use smol::Async;
use smol::future;
use smol::io::{AsyncReadExt, AsyncWriteExt};

/// The page, made of two answers of the database.
pub async fn page(database: SocketAddr) -> io::Result<String> {
    let visitor = ask(database, "visitor").await?;
    let basket = ask(database, "basket").await?;
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
