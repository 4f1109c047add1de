//! A client of step 5: it reads only where there is something to read.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, time::Instant};

use mio::net::TcpStream;
use site::{Connection, Site, Step, compute};

/// How many steps one client takes before the next client has its turn.
const STEPS_IN_A_TURN: u32 = 64;

// ANCHOR: client
/// A client of the event loop: everything its own thread would keep on its stack.
pub struct Client<'site> {
    stream: TcpStream,
    connection: Connection<'site>,
    /// Whether there may be something to read. As long as there isn't, a read would be in vain.
    pub readable: bool,
    /// Whether the client will send no more. The system tells it once, so it is kept.
    pub finished: bool,
    /// Whether it sleeps. An event may come before that is over.
    sleeps: bool,
    /// When the loop looks at this client again, even if no event comes before.
    pub due: Instant,
}
// ANCHOR_END: client

impl<'site> Client<'site> {
    /// A client that was just accepted.
    pub fn new(stream: TcpStream, site: &'site Site) -> Self {
        let (connection, due) = (Connection::new(site), Instant::now());
        let (readable, finished, sleeps) = (false, false, false);
        Client { stream, connection, readable, finished, sleeps, due }
    }

    // ANCHOR: turn
    /// Takes steps until this client waits or has had its share; `false` when it has ended.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn turn(&mut self) -> io::Result<bool> {
        let (mut share, mut buffer) = (0..STEPS_IN_A_TURN, [0; 4096]);
        while !self.sleeps || self.due <= Instant::now() {
            self.sleeps = false;
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
                // A client that does not read its answer is lost when the socket's buffer is full.
                Step::Write(bytes) => self.stream.write_all(&bytes)?,
                Step::FinishWriting | Step::Close => return Ok(false),
            }
        }
        Ok(true)
    }
    // ANCHOR_END: turn

    // ANCHOR: read
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
