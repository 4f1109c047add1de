//! A listener whose backlog is as long as we say.

use std::io;
use std::net::Ipv4Addr;

use tokio::net::{TcpListener, TcpSocket};

/// How many clients the kernel keeps waiting outside. Tokio's own `bind` asks for 128.
pub const BACKLOG: u32 = 16;

// ANCHOR: listen
/// Listens on this port, with a backlog of so many. (Linux keeps one more.)
pub fn listen(port: u16, backlog: u32) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // As `TcpListener::bind` does, so that the port may be taken again immediately after an end.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(backlog)
}
// ANCHOR_END: listen
