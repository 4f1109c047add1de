//! A client of steps 1 and 2: it takes steps until there is nothing to read.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, thread};

use site::{Connection, Site, Step, compute};

/// A client: the socket, and how far its requests have come.
pub struct Client<'site, S> {
    pub stream: S,
    connection: Connection<'site>,
}

impl<'site, S: Read + Write> Client<'site, S> {
    /// A client that was just accepted.
    pub fn new(stream: S, site: &'site Site) -> Self {
        Client { stream, connection: Connection::new(site) }
    }

    // ANCHOR: advance
    /// Takes steps until there is nothing to read; `false` when this client has ended.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn advance(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        loop {
            match self.connection.next_step() {
                Step::Read { .. } => match self.stream.read(&mut buffer) {
                    Ok(0) => self.connection.ended(),
                    Ok(count) => self.connection.received(&buffer[..count]),
                    // A blocking read would wait here. This one lets the loop go on to others.
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                    Err(error) => return Err(error),
                },
                // The next three hold the only thread, and with it all clients.
                Step::Sleep(pause) => thread::sleep(pause),
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                // A client that does not read its answer is lost when the socket's buffer is full.
                Step::Write(bytes) => self.stream.write_all(&bytes)?,
                // The end of the connection tells the client as much.
                Step::FinishWriting | Step::Close => return Ok(false),
            }
        }
    }
    // ANCHOR_END: advance
}
