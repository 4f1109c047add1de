//! The blocking handler of rungs 1 to 3, for servers that are not about it, and on any stream.
//!
//! Those rungs show the same lines in their own files. Here they also serve a script instead of a
//! socket, so that the tests can try each outcome of a read and a write.

use std::{
    fs,
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    thread,
    time::Duration,
};

use crate::{Connection, Response, Site, Status, Step, WRITE_TIME, compute};

/// What the handler needs of a connection in addition to reading and writing.
///
/// A [`TcpStream`] is one; so is a buffer in a test.
pub trait Stream: Read + Write {
    /// From now on `read` fails after this long: [`TimedOut`](io::ErrorKind::TimedOut), or
    /// [`WouldBlock`](io::ErrorKind::WouldBlock).
    fn limit_reads(&self, limit: Duration) -> io::Result<()>;
    /// The same for `write`.
    fn limit_writes(&self, limit: Duration) -> io::Result<()>;
    /// Tells the client that nothing more will be sent, and continues to receive.
    fn finish_writing(&self) -> io::Result<()>;
}

impl Stream for &TcpStream {
    fn limit_reads(&self, limit: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(limit))
    }

    fn limit_writes(&self, limit: Duration) -> io::Result<()> {
        self.set_write_timeout(Some(limit))
    }

    fn finish_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

// ANCHOR: handle
/// Serves one connection from its first byte to its last.
///
/// Every call in here *blocks*: the thread that runs it can do nothing else
/// until the bytes have come, the time is over, or the file is read.
///
/// # Errors
/// When the client resets the connection, or reads too slowly.
pub fn handle(stream: impl Stream, site: &Site) -> io::Result<()> {
    handle_with(stream, site, |stream, _is_idle, buffer| stream.read(buffer))
}

/// As [`handle`], with another way to read. Its `bool` says that the client has asked for nothing yet: a
/// server that stops may close such a connection.
///
/// # Errors
/// As [`handle`].
pub fn handle_with<S: Stream>(
    mut stream: S,
    site: &Site,
    mut read: impl FnMut(&mut S, bool, &mut [u8]) -> io::Result<usize>,
) -> io::Result<()> {
    stream.limit_writes(WRITE_TIME)?;
    let mut connection = Connection::new(site);
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { within } => {
                stream.limit_reads(within)?;
                // Waits here until bytes have come, or the time is over.
                match read(&mut stream, connection.is_idle(), &mut buffer) {
                    Ok(0) => connection.ended(),
                    Ok(count) => connection.received(&buffer[..count]),
                    Err(error) => connection.read_failed(error)?,
                }
            }
            Step::Sleep(pause) => thread::sleep(pause),
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            Step::Write(bytes) => stream.write_all(&bytes)?,
            Step::FinishWriting => stream.finish_writing()?,
            Step::Close => return Ok(()),
        }
    }
}
// ANCHOR_END: handle

/// Tells a client that the server has no thread for it: a 503, and the connection ends.
///
/// Waits for nothing, because it runs where new clients are accepted.
///
/// # Errors
/// When the client is already gone.
pub fn refuse(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    // What the client has sent must be read, or the close becomes a reset and the answer is lost.
    let _ = stream.read(&mut [0; 4096]);
    stream.write_all(&Response::refusal(Status::UNAVAILABLE).encode(None, false))?;
    stream.shutdown(Shutdown::Write)
}
