//! One request before anything is timed.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Result, bail};

/// Sends one request. Always for `/`, so that it does not count on `/tenth`.
///
/// # Errors
/// When nobody answers within ten seconds, or with something other than 200.
pub fn warm_up(address: &str) -> Result<()> {
    let address = address.trim_start_matches("http://");
    let limit = Some(Duration::from_secs(10));
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(limit)?;
    stream.set_write_timeout(limit)?;
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if !answer.starts_with(b"HTTP/1.1 200 ") {
        bail!(
            "it answered `{}`",
            String::from_utf8_lossy(&answer).lines().next().unwrap_or_default()
        );
    }
    Ok(())
}
