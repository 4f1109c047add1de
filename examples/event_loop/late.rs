//! A client of step 3: it has a time limit.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, thread, time::Instant};

use mio::net::TcpStream;
use site::{Connection, Site, Step, compute};

// ANCHOR: client
/// A client: the socket, how far its requests have come, and how long it may wait.
pub struct Client<'site> {
    pub stream: TcpStream,
    connection: Connection<'site>,
    /// When the loop looks at this client again, even if no event comes before.
    pub due: Instant,
}
// ANCHOR_END: client

impl<'site> Client<'site> {
    /// A client that was just accepted.
    pub fn new(stream: TcpStream, site: &'site Site) -> Self {
        Client { stream, connection: Connection::new(site), due: Instant::now() }
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
                Step::Read { within } => match self.stream.read(&mut buffer) {
                    Ok(0) => self.connection.ended(),
                    Ok(count) => self.connection.received(&buffer[..count]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        // When this time is over, the next step is a different step.
                        self.due = Instant::now() + within;
                        return Ok(true);
                    }
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
