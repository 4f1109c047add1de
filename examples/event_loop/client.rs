//! One client: what it waits for, and how far it gets when the wait is over.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, net::Shutdown, time::Instant};

use mio::net::TcpStream;
use site::{Connection, Site, Step, WRITE_TIME, compute};

/// How many steps one client takes before the next client has its turn.
const STEPS_IN_A_TURN: u32 = 64;

// ANCHOR: client
/// A client of the event loop: everything its own thread would keep on its stack.
pub struct Client<'site> {
    stream: TcpStream,
    pub connection: Connection<'site>,
    /// Whether there may be something to read. As long as there isn't, a read would be in vain.
    pub readable: bool,
    /// Whether the client will send no more. The system tells it once, so it is kept.
    pub finished: bool,
    /// The rest of an answer: the socket had no room for it yet.
    rest: Vec<u8>,
    /// Whether it sleeps. An event may come before that is over.
    sleeps: bool,
    /// When the loop looks at this client again, even if no event comes before.
    pub due: Instant,
}
// ANCHOR_END: client

impl<'site> Client<'site> {
    /// A client that was just accepted.
    pub fn new(stream: TcpStream, site: &'site Site) -> Self {
        let (connection, rest, due) = (Connection::new(site), Vec::new(), Instant::now());
        let (readable, finished, sleeps) = (false, false, false);
        Client { stream, connection, readable, finished, rest, sleeps, due }
    }

    // ANCHOR: turn
    /// Takes steps until this client waits or has had its share; `false` when it has ended.
    ///
    /// # Errors
    /// When the client is lost, or too slow to take its answer.
    pub fn turn(&mut self) -> io::Result<bool> {
        let (mut share, mut buffer) = (0..STEPS_IN_A_TURN, [0; 4096]);
        while self.wait_is_over()? {
            if share.next().is_none() {
                // It continues as soon as all the others have had their turn.
                self.due = Instant::now();
                break;
            }
            // The seven arms of every rung. What a client waits for is written down.
            match self.connection.next_step() {
                Step::Read { .. } if self.readable => self.read(&mut buffer)?,
                Step::Read { within } => {
                    // When this time is over, the next step is a different step.
                    self.due = Instant::now() + within;
                    break;
                }
                Step::Sleep(pause) => (self.sleeps, self.due) = (true, Instant::now() + pause),
                // These two hold the only thread, and with it all clients.
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                Step::Write(bytes) => (self.rest, self.due) = (bytes, Instant::now() + WRITE_TIME),
                Step::FinishWriting => self.stream.shutdown(Shutdown::Write)?,
                Step::Close => return Ok(false),
            }
        }
        Ok(true)
    }
    // ANCHOR_END: turn

    // ANCHOR: read
    /// Whether the connection may be asked for its next step. Sends the rest of the answer, as
    /// far as it goes.
    fn wait_is_over(&mut self) -> io::Result<bool> {
        let early = Instant::now() < self.due;
        while !self.rest.is_empty() {
            match self.stream.write(&self.rest) {
                Ok(count) => drop(self.rest.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock && early => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        self.sleeps &= early;
        Ok(!self.sleeps)
    }

    /// Reads once.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let read = self.stream.read(buffer);
        // Fewer bytes than fit: these were all, so another read would be in vain.
        let more = |&count: &usize| count == buffer.len() || self.finished || cfg!(not(unix));
        self.readable = read.as_ref().is_ok_and(more);
        match read {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            read => self.connection.received(&buffer[..read?]),
        }
        Ok(())
    }
    // ANCHOR_END: read
}
