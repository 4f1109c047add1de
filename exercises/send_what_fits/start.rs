// Send what fits, and remember the rest.
//
// The stream is non-blocking: `write` takes as many bytes as there is room for, and fails with
// `ErrorKind::WouldBlock` when there is none. `write_all` then forgets how much it has sent.
//
// Your turn: let `send` send what fits, and return `Sent::Part` when there is no more room. It is called again
// when there is room, and continues where it was. Each byte is sent once. `Sent::All` means that all have been sent.
// - `write` may take less than fits, so ask until `WouldBlock`.
// - After `WouldBlock`, return: the system reports when there is room, and until then other clients need the thread.
// - Any other error is handed on.

use std::io::{self, Write};

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    All,
    Part,
}

/// An answer on its way.
pub struct Answer {
    bytes: Vec<u8>,
}

impl Answer {
    pub fn new(bytes: Vec<u8>) -> Answer {
        Answer { bytes }
    }

    /// Sends what fits.
    pub fn send(&mut self, stream: &mut impl Write) -> io::Result<Sent> {
        stream.write_all(&self.bytes)?;
        Ok(Sent::All)
    }
}
