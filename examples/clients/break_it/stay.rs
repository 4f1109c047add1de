//! Clients that come and stay. They break nothing by themselves: what the server does with them is seen elsewhere.

use std::{net::SocketAddr, thread, time::Duration};

use crate::client::{connect, send};

/// A kind of client that stays.
pub struct Stay {
    /// Its name on the command line.
    pub name: &'static str,
    /// What the client does.
    pub what: &'static str,
    /// What it sends before it falls silent.
    pub sends: &'static str,
}

/// All of them.
pub static STAYS: [Stay; 3] = [
    Stay { name: "say-nothing", what: "connects, says nothing and stays", sends: "" },
    Stay { name: "half-open", what: "sends half a request and stays", sends: "GET / HTTP/1.1\r\n" },
    Stay {
        name: "ask-once",
        what: "asks once and stays",
        sends: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    },
];

/// Holds this many connections open for this long.
///
/// # Errors
/// In words, when a connection can't be made or takes no bytes.
pub fn stay(stay: &Stay, server: SocketAddr, clients: u32, time: Duration) -> Result<(), String> {
    let mut streams = Vec::new();
    for _ in 0..clients {
        let stream = connect(server)?;
        send(&stream, stay.sends.as_bytes())?;
        streams.push(stream);
    }
    thread::sleep(time);
    Ok(())
}
