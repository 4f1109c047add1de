//! One client: a connection at a time, and a request at a time on it.

use std::{
    io::{self, ErrorKind},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::{
    connect::{Dialer, reach},
    options::Options,
    response,
};

/// How long a client waits after it could not connect, so that it does not try a million times.
const PAUSE: Duration = Duration::from_millis(10);

/// A kept connection may have been closed by the server when it was idle for so long.
const IDLE: Duration = Duration::from_secs(1);

/// The longest head of a response.
const MOST_HEAD: usize = 64 * 1024;

/// What went wrong with a request.
#[derive(Debug)]
pub enum Failure {
    /// There is no connection to send it on.
    Connect(io::Error),
    /// It could not be sent.
    Write(io::Error),
    /// The answer did not come, or not whole, or was none.
    Read(io::Error),
}

/// What a client has done since it was last asked.
#[derive(Debug, Default)]
pub struct Counts {
    /// Connections that it opened.
    pub opened: u64,
    /// Requests that it sent.
    pub sent: u64,
    /// Bytes that it received.
    pub received: u64,
}

/// One client.
pub struct Client {
    request: Arc<[u8]>,
    keep_alive: bool,
    dialer: Dialer,
    /// The connection that the last request left, and since when it is idle.
    kept: Option<(TcpStream, Instant)>,
    buffer: Vec<u8>,
    counts: Counts,
}

// ANCHOR: open
/// Makes the clients, also the idle. The first client is connected, and so are all the others
/// that keep their connections and are not idle.
///
/// # Errors
/// In words, if the host has no address, or no server listens there.
pub async fn open(options: &Options) -> Result<(Vec<Client>, Vec<Client>), String> {
    let (address, stream) = reach(&options.target.host_and_port(), options.timeout).await?;
    let keep_alive = options.keep_alive;
    let limit = options.timeout;
    let request = request(options, &options.target.path);
    let mut clients: Vec<Client> = (0..options.connections + options.idle)
        .map(|number| Client {
            request: Arc::clone(&request),
            keep_alive,
            dialer: Dialer::new(address, number),
            kept: None,
            buffer: Vec::with_capacity(2048),
            counts: Counts::default(),
        })
        .collect();
    clients[0].adopt(stream);
    let idle = clients.split_off(options.connections);
    if !keep_alive {
        return Ok((clients, idle));
    }
    let mut opening = JoinSet::new();
    for mut client in clients {
        opening.spawn(async move {
            // A client that can't connect now tries again with its first request, and then it counts.
            if client.kept.is_none()
                && let Ok(Ok(stream)) = timeout(limit, client.dialer.connect()).await
            {
                client.adopt(stream);
            }
            client
        });
    }
    Ok((opening.join_all().await, idle))
}
// ANCHOR_END: open

/// The bytes that a client sends which asks for `path`.
fn request(options: &Options, path: &str) -> Arc<[u8]> {
    let host = &options.target.host;
    let close = if options.keep_alive { "" } else { "Connection: close\r\n" };
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{close}\r\n").into_bytes().into()
}

impl Client {
    /// One more client of the same server, which asks for another path.
    pub fn neighbour(&self, options: &Options, path: &str) -> Client {
        Client {
            request: request(options, path),
            keep_alive: self.keep_alive,
            dialer: self.dialer.clone(),
            kept: None,
            buffer: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Takes over a connection for the next request.
    fn adopt(&mut self, stream: TcpStream) {
        self.counts.opened += 1;
        self.kept = Some((stream, Instant::now()));
    }

    /// Connects, if it is not connected yet, at the same time as however many others.
    pub async fn connect(&mut self) -> io::Result<()> {
        if self.kept.is_none() {
            let stream = self.dialer.connect_at_once().await?;
            self.adopt(stream);
        }
        Ok(())
    }

    /// What it has done since this was last called.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }

    // ANCHOR: get
    /// Sends the request, waits for the whole answer, and returns its status.
    ///
    /// The connection belongs to this call until the answer is there. If it is dropped before that,
    /// or fails, the connection is closed, and the next call opens another.
    pub async fn get(&mut self) -> Result<u16, Failure> {
        let mut stream = match self.take_kept() {
            Some(stream) => stream,
            None => match self.dialer.connect().await {
                Ok(stream) => {
                    self.counts.opened += 1;
                    stream
                }
                Err(error) => {
                    sleep(PAUSE).await;
                    return Err(Failure::Connect(error));
                }
            },
        };
        stream.write_all(&self.request).await.map_err(Failure::Write)?;
        self.counts.sent += 1;
        let (status, keep_alive) = self.answer(&mut stream).await.map_err(Failure::Read)?;
        if keep_alive && self.keep_alive {
            self.kept = Some((stream, Instant::now()));
        }
        Ok(status)
    }
    // ANCHOR_END: get

    // ANCHOR: answer
    /// Reads one answer to its last byte: its status, and whether the connection stays.
    async fn answer(&mut self, stream: &mut TcpStream) -> io::Result<(u16, bool)> {
        self.buffer.clear();
        let head = loop {
            if let Some(head) = response::parse(&self.buffer).map_err(malformed)? {
                break head;
            }
            if self.buffer.len() > MOST_HEAD {
                return Err(malformed("the head has no end"));
            }
            if self.read(stream).await? == 0 {
                return Err(ended("before the end of the head"));
            }
        };
        let mut body = (self.buffer.len() - head.length) as u64;
        while head.body.is_none_or(|promised| body < promised) {
            self.buffer.clear();
            match (self.read(stream).await?, head.body) {
                (0, None) => break,
                (0, Some(all)) => return Err(ended(&format!("after {body} of {all} bytes"))),
                (count, _) => body += count as u64,
            }
        }
        match head.body {
            Some(promised) if body > promised => Err(malformed("more bytes than Content-Length")),
            _ => Ok((head.status, head.keep_alive)),
        }
    }
    // ANCHOR_END: answer

    /// Waits for bytes and appends them to the buffer. None are the end of the connection.
    async fn read(&mut self, stream: &mut TcpStream) -> io::Result<usize> {
        let count = stream.read_buf(&mut self.buffer).await?;
        self.counts.received += count as u64;
        Ok(count)
    }

    /// The kept connection, unless it was idle for long and the server has closed it, as it may.
    fn take_kept(&mut self) -> Option<TcpStream> {
        let (stream, since) = self.kept.take()?;
        (since.elapsed() < IDLE || is_open(&stream)).then_some(stream)
    }

    /// Whether it has a connection that the server has not closed.
    pub fn is_connected(&self) -> bool {
        self.kept.as_ref().is_some_and(|(stream, _)| is_open(stream))
    }
}

/// Whether the server has neither closed an idle connection nor sent bytes without a request.
fn is_open(stream: &TcpStream) -> bool {
    let read = stream.try_read(&mut [0]);
    matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

fn ended(when: &str) -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, format!("the connection ended {when}"))
}
