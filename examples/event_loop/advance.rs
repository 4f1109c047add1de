//! What steps 1 and 2 share: as far as one client gets without waiting.

use std::io::{self, ErrorKind, Read, Write};
use std::{fs, thread};

use site::{Connection, Step, compute};

// ANCHOR: advance
/// Goes on with one client until there is nothing to read; `false` when it has ended.
pub fn advance(mut stream: impl Read + Write, connection: &mut Connection) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    loop {
        match connection.next_step() {
            Step::Read { .. } => match stream.read(&mut buffer) {
                Ok(count) => connection.received(&buffer[..count]),
                // A blocking read would wait here. This one lets the next client have its turn.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            },
            // All the others wait as well, until step 3 changes that.
            Step::Sleep(pause) => thread::sleep(pause),
            Step::ReadFile(path) => connection.file_read(fs::read(path)),
            Step::Compute(rounds) => connection.computed(compute(rounds)),
            // A client that does not read its answer is lost when the socket's buffer is full.
            Step::Write(bytes) => stream.write_all(&bytes)?,
            // The end of the connection tells the client as much.
            Step::FinishWriting | Step::Close => return Ok(false),
        }
    }
}
// ANCHOR_END: advance
