//! One request and its response.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// How long a client waits for its response. Longer than the 5 s that our servers give a silent client.
pub const PATIENCE: Duration = Duration::from_secs(8);

/// A request for the page that every server here has.
pub const REQUEST: &str = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";

/// A connection, or the reason why there is none, in words.
pub fn connect(server: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(server).map_err(|_| "no server listens there".to_owned())?;
    // What is sent in two pieces shall leave in two.
    stream.set_nodelay(true).and(stream.set_read_timeout(Some(PATIENCE))).map_err(words)?;
    Ok(stream)
}

/// Sends these bytes.
pub fn send(mut stream: &TcpStream, bytes: &[u8]) -> Result<(), String> {
    stream.write_all(bytes).map_err(words)
}

/// The status of the response, such as `200 OK`, once the server has ended the connection as it should.
pub fn response(mut stream: &TcpStream) -> Result<String, String> {
    let mut response = Vec::new();
    stream.read_to_end(&mut response).map_err(words)?;
    let response = String::from_utf8_lossy(&response);
    let status = response.lines().next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    status.map(str::to_owned).ok_or_else(|| "the connection ended without a response".to_owned())
}

/// The response to this request, which is sent as a whole before anything is read.
pub fn ask(server: SocketAddr, request: &[u8]) -> Result<String, String> {
    let stream = connect(server)?;
    send(&stream, request)?;
    response(&stream)
}

/// Whether the server is still there for another client.
pub fn next_is_served(server: SocketAddr) -> Result<(), String> {
    match ask(server, REQUEST.as_bytes()).as_deref() {
        Ok("200 OK") => Ok(()),
        _ => Err("the next client gets no response".to_owned()),
    }
}

/// The same words on every system.
fn words(error: std::io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("no response within {PATIENCE:?}"),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the server reset the connection".to_owned()
        }
        _ => error.to_string(),
    }
}
