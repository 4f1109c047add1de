//! A client of step 4: its sleep is written down, and it has a share.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, time::Instant};

use mio::net::TcpStream;
use site::{Connection, Site, Step, compute};

/// How many steps one client takes before the loop goes on to the next client.
const SHARE: u32 = 64;

// ANCHOR: client
/// A client of the event loop: everything its own thread would keep on its stack.
pub struct Client<'site> {
    pub stream: TcpStream,
    connection: Connection<'site>,
    wait: Wait,
    /// When the loop looks at this client again, even if no event comes before.
    pub due: Instant,
}

/// Where a client's last `advance` stopped.
enum Wait {
    /// It waits for more of a request, or has had its share.
    Request,
    /// It waits for the end of its sleep.
    Sleep,
}
// ANCHOR_END: client

impl<'site> Client<'site> {
    /// A client that was just accepted.
    pub fn new(stream: TcpStream, site: &'site Site) -> Self {
        Client {
            stream,
            connection: Connection::new(site),
            wait: Wait::Request,
            due: Instant::now(),
        }
    }

    // ANCHOR: advance
    /// Takes steps until this client waits or has had its share; `false` when it has ended.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn advance(&mut self) -> io::Result<bool> {
        // It continues where the last call stopped.
        match self.wait {
            Wait::Request => {}
            // An event has come before its sleep is over.
            Wait::Sleep if Instant::now() < self.due => return Ok(true),
            Wait::Sleep => self.wait = Wait::Request,
        }
        let mut buffer = [0; 4096];
        // The seven arms of every rung. What a client waits for is written down.
        for _ in 0..SHARE {
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
                Step::Sleep(pause) => {
                    self.wait = Wait::Sleep;
                    self.due = Instant::now() + pause;
                    return Ok(true);
                }
                // These two hold the only thread, and with it all clients.
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                // A client that does not read its answer is lost when the socket's buffer is full.
                Step::Write(bytes) => self.stream.write_all(&bytes)?,
                // The end of the connection tells the client as much.
                Step::FinishWriting | Step::Close => return Ok(false),
            }
        }
        // It has had its share, and continues as soon as all the others have advanced.
        self.due = Instant::now();
        Ok(true)
    }
    // ANCHOR_END: advance
}
