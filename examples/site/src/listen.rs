//! What a listener can ask of the kernel.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    time::Duration,
};

/// How many connections may wait to be accepted. The system may allow fewer (on Linux
/// `net.core.somaxconn`, by default 4096; on macOS 128).
///
/// The standard library asks for 128. A load generator with 500 connections overflows that, and what
/// Linux then does (it forgets connections that the client believes in) looks like a broken server.
pub const BACKLOG: i32 = 1024;

/// Binds so many listeners to one port, and Linux shares the clients among them by a hash of their addresses
/// and ports: `SO_REUSEPORT`.
///
/// Other systems have the option too, and share nothing: on macOS one of the listeners gets every client.
///
/// # Errors
/// When the port can't be had, and on every system but Linux.
#[cfg(target_os = "linux")]
pub fn listen_each(mut address: SocketAddr, count: usize) -> io::Result<Vec<TcpListener>> {
    use socket2::{Domain, Socket, Type};

    // Without this, a second server on the port would take half of the first one's clients
    // without an error.
    drop(TcpListener::bind(address)?);
    let mut listeners = Vec::new();
    for _ in 0..count {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        socket.set_tcp_nodelay(true)?;
        let listener = TcpListener::from(socket);
        // Port 0 stands for any free one; the others take the one that the first was given.
        address = listener.local_addr()?;
        listeners.push(listener);
    }
    Ok(listeners)
}

/// Binds so many listeners to one port: not on this system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn listen_each(_address: SocketAddr, _count: usize) -> io::Result<Vec<TcpListener>> {
    let why = "only Linux shares the clients of a port between several listeners (SO_REUSEPORT)";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// From now on the kernel gives up an accepted connection when its client has taken nothing for so long, although
/// something is there to be sent: `TCP_USER_TIMEOUT`, see tcp(7). Only Linux has it; elsewhere nothing happens.
///
/// For servers that leave the writing to a library, and can't limit its time as the rungs do.
///
/// # Errors
/// When the kernel refuses.
pub fn limit_unread(listener: &TcpListener, limit: Duration) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    // Accepted connections inherit this.
    socket2::SockRef::from(listener).set_tcp_user_timeout(Some(limit))?;
    #[cfg(not(target_os = "linux"))]
    let _ = (listener, limit);
    Ok(())
}
