//! Different: several threads, each with its own event loop and its own listener on the same port.
//!
//! Source 003 has it. The option `SO_REUSEPORT` lets several sockets listen on one port, and Linux
//! chooses one for each new connection by a hash of its addresses and ports. That is no mistake; to
//! read it as even shares is wrong where the connections are few and kept: one thread may get most
//! of them while another is idle, and a connection never moves. The counts are printed at the end.
//! macOS has the option too, and promises nothing about the shares.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use site::Site;

use crate::event_loops;
use crate::options::{Fault, Options};

/// Many listeners on one port.
pub const FAULT: Fault = Fault {
    name: "reuse-port",
    what: "threads with an event loop and a listener each, all on one port",
    takes: &["--keep-alive", "--threads"],
    run,
};

fn run(options: &Options, site: Arc<Site>) -> io::Result<()> {
    let listeners = options.listening(listen(options.address(), options.threads.get()));
    event_loops::run(options, &site, listeners, "an event loop and a listener each")
}

/// So many listeners on the same port.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn listen(mut address: SocketAddr, count: usize) -> io::Result<Vec<TcpListener>> {
    use socket2::{Domain, Socket, Type};

    use crate::options::BACKLOG;

    // Without this, a second server on the port would take half of the first one's clients, and
    // nobody be told.
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

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn listen(_address: SocketAddr, _count: usize) -> io::Result<Vec<TcpListener>> {
    site::complain(
        "wrong_servers: --fault reuse-port needs SO_REUSEPORT, for which it knows Linux and macOS; \
         --fault one-listener runs everywhere",
    );
    std::process::exit(2)
}
