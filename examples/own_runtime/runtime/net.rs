//! Sockets that a task can wait for.

use std::cell::Cell;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::{Arc, atomic::Ordering};
use std::task::Poll;

use mio::{Interest, Token, net};

use super::reactor::Source;
use super::runtime;

/// A socket, and its entry with the reactor.
struct Watched<S> {
    socket: S,
    token: Token,
    source: Arc<Source>,
}

impl<S: mio::event::Source> Watched<S> {
    fn new(mut socket: S, interest: Interest) -> io::Result<Watched<S>> {
        let (token, source) = runtime().reactor.add(&mut socket, interest)?;
        Ok(Watched { socket, token, source })
    }
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        // The socket, which is closed next, takes itself off the system's list.
        runtime().reactor.remove(self.token);
    }
}

/// Listens for clients.
pub struct TcpListener(Watched<net::TcpListener>);

impl TcpListener {
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<TcpListener> {
        listener.set_nonblocking(true)?;
        let listener = net::TcpListener::from_std(listener);
        Ok(TcpListener(Watched::new(listener, Interest::READABLE)?))
    }

    pub async fn accept(&self) -> io::Result<TcpStream> {
        loop {
            match self.0.socket.accept() {
                Ok((stream, _)) => {
                    let both = Interest::READABLE | Interest::WRITABLE;
                    return Ok(TcpStream(Watched::new(stream, both)?));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.0.source.read.take().await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// A connection.
pub struct TcpStream(Watched<net::TcpStream>);

impl TcpStream {
    // ANCHOR: read
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Watched { socket, source, .. } = &mut self.0;
        loop {
            give_way().await;
            // Forgets that the socket is ready *before* it reads: an event that comes meanwhile is not lost.
            source.read.take().await;
            match socket.read(buffer) {
                Ok(count) => {
                    let all = count < buffer.len() && cfg!(unix);
                    if !all || source.finished.load(Ordering::Relaxed) {
                        source.read.set();
                    }
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
    // ANCHOR_END: read

    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let Watched { socket, source, .. } = &mut self.0;
        while !bytes.is_empty() {
            match socket.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => source.write.take().await,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.0.socket.shutdown(how)
    }
}

/// How many reads a thread makes before other tasks have their turn.
const BUDGET: u32 = 64;

thread_local! {
    static READS: Cell<u32> = const { Cell::new(0) };
}

/// Every so often, goes to the end of the queue.
async fn give_way() {
    let reads = READS.get() + 1;
    READS.set(reads % BUDGET);
    let mut yielded = reads < BUDGET;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
