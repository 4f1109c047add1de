//! One client: what it waits for, and how far it gets when the wait is over.

use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};
use std::{fs, net::Shutdown};

use mio::{event::Event, net::TcpStream};
use site::{Connection, Site, Step, WRITE_TIME, compute};

/// How many steps one client takes before it is another's turn.
const STEPS_IN_A_TURN: u32 = 64;

// ANCHOR: client
/// A client of the event loop: all that a thread of its own would have kept on its stack.
pub struct Client<'site> {
    stream: TcpStream,
    connection: Connection<'site>,
    waits: Wait,
    /// When that wait is over, whatever happens.
    until: Instant,
    /// Whether there may be something to read. As long as there is not, a read would be in vain.
    pub readable: bool,
    /// Whether the client will send no more. The system tells it once, so it is kept.
    finished: bool,
    /// When the loop looks at this client again, if no event comes before.
    pub due: Instant,
}

/// What must be over before the connection is asked for its next step.
enum Wait {
    Nothing,
    Sleep,
    Write { bytes: Vec<u8>, sent: usize },
}
// ANCHOR_END: client

impl<'site> Client<'site> {
    /// A client that was just accepted.
    pub fn new(stream: TcpStream, site: &'site Site) -> Client<'site> {
        let (connection, waits, now) = (Connection::new(site), Wait::Nothing, Instant::now());
        let (readable, finished) = (false, false);
        Client { stream, connection, waits, until: now, readable, finished, due: now }
    }

    /// Whether it only waits for a request of which not a byte has come.
    pub fn is_idle(&self) -> bool {
        self.connection.is_idle()
    }

    // ANCHOR: notice
    /// Remembers what the system tells of the socket: it tells it only once.
    pub fn notice(&mut self, event: &Event) {
        self.finished |= event.is_read_closed();
        self.readable |= event.is_readable() || event.is_error() || self.finished;
    }
    // ANCHOR_END: notice

    // ANCHOR: turn
    /// Takes steps until this client has to wait or has had its share; `false` when it has ended.
    pub fn turn(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        for _ in 0..STEPS_IN_A_TURN {
            if !self.wait_is_over()? {
                self.due = self.until;
                return Ok(true);
            }
            // The seven arms of every rung. No arm waits: it writes down for what to wait.
            match self.connection.next_step() {
                Step::Read { .. } if self.readable => self.read(buffer)?,
                Step::Read { within } => {
                    // When this time is over, the next step is another one.
                    self.due = Instant::now() + within;
                    return Ok(true);
                }
                Step::Sleep(pause) => self.wait(Wait::Sleep, pause),
                // These two hold the only thread, and with it all clients.
                Step::ReadFile(path) => self.connection.file_read(fs::read(path)),
                Step::Compute(rounds) => self.connection.computed(compute(rounds)),
                Step::Write(bytes) => self.wait(Wait::Write { bytes, sent: 0 }, WRITE_TIME),
                Step::FinishWriting => self.stream.shutdown(Shutdown::Write)?,
                Step::Close => return Ok(false),
            }
        }
        // It goes on as soon as all others have had their turn.
        self.due = Instant::now();
        Ok(true)
    }

    fn wait(&mut self, waits: Wait, limit: Duration) {
        (self.waits, self.until) = (waits, Instant::now() + limit);
    }
    // ANCHOR_END: turn

    // ANCHOR: read
    /// Reads once.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        match self.stream.read(buffer) {
            Ok(count) => {
                // Fewer bytes than there was room for: these were all, and to read again would be in vain.
                self.readable = count == buffer.len() || self.finished || cfg!(not(unix));
                self.connection.received(&buffer[..count]);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Whether the connection may be asked for its next step. What is to be written is written here, as far as it goes.
    fn wait_is_over(&mut self) -> io::Result<bool> {
        let late = Instant::now() >= self.until;
        match &mut self.waits {
            Wait::Nothing => {}
            Wait::Sleep if !late => return Ok(false),
            Wait::Sleep => {}
            Wait::Write { bytes, sent } => {
                while *sent < bytes.len() {
                    match self.stream.write(&bytes[*sent..]) {
                        Ok(count) => *sent += count,
                        Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
                        Err(_) if late => return Err(ErrorKind::TimedOut.into()),
                        Err(_) => return Ok(false),
                    }
                }
            }
        }
        self.waits = Wait::Nothing;
        Ok(true)
    }
    // ANCHOR_END: read
}
