// Wrong: writes once and returns, although there may be more room.
// The check says: of the 300 bytes that fit

use std::io::{self, ErrorKind, Write};

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    All,
    Part,
}

/// An answer on its way: its bytes, and how many have left.
pub struct Answer {
    bytes: Vec<u8>,
    sent: usize,
}

impl Answer {
    pub fn new(bytes: Vec<u8>) -> Answer {
        Answer { bytes, sent: 0 }
    }

    /// Sends what fits.
    pub fn send(&mut self, stream: &mut impl Write) -> io::Result<Sent> {
        match stream.write(&self.bytes[self.sent..]) {
            Ok(count) => self.sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Sent::Part),
            Err(error) => return Err(error),
        }
        Ok(if self.sent < self.bytes.len() { Sent::Part } else { Sent::All })
    }
}
