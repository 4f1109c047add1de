// Wrong: each call begins with the first byte, so the client gets the start again and again.
// The check says: but not in the order of the answer

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
        self.sent = 0;
        while self.sent < self.bytes.len() {
            match stream.write(&self.bytes[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Sent::Part),
                Err(error) => return Err(error),
            }
        }
        Ok(Sent::All)
    }
}
