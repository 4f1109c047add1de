//! One client: what it waits for, and how far it gets when the wait is over.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, net::Shutdown, time::Instant};

use mio::net::TcpStream;
use site::{Connection, Site, Step, WRITE_TIME, compute};

/// How many steps one client takes before the loop goes on to the next client.
const SHARE: u32 = 64;

// ANCHOR: client
/// A client of the event loop: everything its own thread would keep on its stack.
pub struct Client<'site> {
    pub stream: TcpStream,
    pub connection: Connection<'site>,
    wait: Wait,
    /// When the loop looks at this client again, even if no event comes before.
    pub due: Instant,
    /// Whether there may be something to read. As long as there isn't, a read would be in vain.
    pub readable: bool,
    /// Whether the client will send no more. The system tells it once, so it is kept.
    pub finished: bool,
}

/// Where a client's last `advance` stopped.
enum Wait {
    /// It waits for more of a request, or has had its share.
    Request,
    /// It waits until its socket has room for the rest of an answer.
    Room { answer: Vec<u8>, sent: usize },
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
            readable: false,
            finished: false,
        }
    }

    // ANCHOR: advance
    /// Takes steps until this client waits or has had its share; `false` when it has ended.
    /// It reads into `buffer`, whose bytes are of no use before and afterwards.
    ///
    /// # Errors
    /// When the client is lost, or too slow to take its answer.
    pub fn advance(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        // It continues where the last call stopped.
        match self.wait {
            Wait::Request => {}
            Wait::Room { .. } => {
                if !self.send()? {
                    return Ok(true);
                }
            }
            // An event has come before its sleep is over.
            Wait::Sleep if Instant::now() < self.due => return Ok(true),
            Wait::Sleep => self.wait = Wait::Request,
        }
        // The seven arms of every rung. What a client waits for is written down.
        for _ in 0..SHARE {
            match self.connection.next_step() {
                Step::Read { .. } if self.readable => self.read(buffer)?,
                Step::Read { within } => {
                    // When this time is over, the next step is a different step.
                    self.due = Instant::now() + within;
                    return Ok(true);
                }
                Step::Sleep(pause) => {
                    self.wait = Wait::Sleep;
                    self.due = Instant::now() + pause;
                    return Ok(true);
                }
                // These two hold the only thread, and with it all clients.
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                Step::Write(answer) => {
                    self.wait = Wait::Room { answer, sent: 0 };
                    self.due = Instant::now() + WRITE_TIME;
                    if !self.send()? {
                        return Ok(true);
                    }
                }
                Step::FinishWriting => self.stream.shutdown(Shutdown::Write)?,
                Step::Close => return Ok(false),
            }
        }
        // It has had its share, and continues as soon as all the others have advanced.
        self.due = Instant::now();
        Ok(true)
    }
    // ANCHOR_END: advance

    // ANCHOR: read
    /// Sends the answer, or the rest of it; `false` when there is no room for all of it yet.
    fn send(&mut self) -> io::Result<bool> {
        let Wait::Room { answer, sent } = &mut self.wait else { return Ok(true) };
        while *sent < answer.len() {
            match self.stream.write(&answer[*sent..]) {
                Ok(count) => *sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // An event tells when there is room again. A client that is late is lost.
                    let late = Instant::now() >= self.due;
                    return if late { Err(error) } else { Ok(false) };
                }
                Err(error) => return Err(error),
            }
        }
        self.wait = Wait::Request;
        Ok(true)
    }

    /// Reads once.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        match self.stream.read(buffer) {
            Ok(0) => self.connection.ended(),
            Ok(count) => {
                // Fewer bytes than fit: these were all, so another read would be in vain.
                let were_all = count < buffer.len() && cfg!(unix);
                self.readable = self.finished || !were_all;
                self.connection.received(&buffer[..count]);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
            Err(error) => return Err(error),
        }
        Ok(())
    }
    // ANCHOR_END: read
}
