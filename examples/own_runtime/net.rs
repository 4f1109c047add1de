//! Sockets that a task can wait for.

// ANCHOR: socket
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;

use mio::{Interest, Token, net};

use crate::runtime::{Readiness, Source, lock, runtime};

/// A socket that is watched.
pub struct Socket<S: mio::event::Source> {
    pub socket: S,
    token: Token,
    source: Arc<Source>,
}

/// Listens for clients.
pub type TcpListener = Socket<net::TcpListener>;

/// A connection.
pub type TcpStream = Socket<net::TcpStream>;
// ANCHOR_END: socket

// ANCHOR: watch
impl<S: mio::event::Source> Socket<S> {
    fn new(socket: S) -> io::Result<Socket<S>> {
        let reactor = &runtime().reactor;
        let token = Token(reactor.number());
        let source = Arc::<Source>::default();
        // First the entry, so that no event comes that finds none.
        lock(&reactor.sources).insert(token, Arc::clone(&source));
        let mut watched = Socket { socket, token, source };
        let both = Interest::READABLE | Interest::WRITABLE;
        reactor.registry.register(&mut watched.socket, token, both)?;
        Ok(watched)
    }
}

impl<S: mio::event::Source> Drop for Socket<S> {
    fn drop(&mut self) {
        let reactor = &runtime().reactor;
        // mio wants it before the socket is closed. It fails where the registration had failed.
        let _ = reactor.registry.deregister(&mut self.socket);
        lock(&reactor.sources).remove(&self.token);
    }
}
// ANCHOR_END: watch

// ANCHOR: accept
impl TcpListener {
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<TcpListener> {
        listener.set_nonblocking(true)?;
        Socket::new(net::TcpListener::from_std(listener))
    }

    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        // A backlog that is never empty must not keep the thread.
        self.source.budget.spend().await;
        let (socket, address) = attempt(&self.source.read, || self.socket.accept()).await?;
        Ok((Socket::new(socket)?, address))
    }
}

impl TcpStream {
    // ANCHOR_END: accept
    // ANCHOR: read
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.budget.spend().await;
        // Forgets that the socket is ready *before* it reads, so an event during the read is not lost.
        self.source.read.take().await;
        let count = attempt(&self.source.read, || self.socket.read(buffer)).await?;
        if count == buffer.len() || cfg!(not(unix)) {
            // There may be more, and no event will report it again.
            self.source.read.set(false);
        }
        Ok(count)
    }
    // ANCHOR_END: read

    // ANCHOR: write
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.source.budget.spend().await;
            let count = attempt(&self.source.write, || self.socket.write(bytes)).await?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Tells the client that the answer is whole. A future as Tokio's is, although it never waits.
    pub async fn shutdown(&mut self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)
    }
}
// ANCHOR_END: write

// ANCHOR: attempt
/// Makes this call, waiting as often as it would block.
async fn attempt<T>(ready: &Readiness, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => ready.take().await,
            outcome => return outcome,
        }
    }
}
// ANCHOR_END: attempt
