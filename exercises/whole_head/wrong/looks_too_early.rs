// Wrong: looks for the empty line before it has added the new bytes, so it waits for a piece that may never come.
// The check says: expected: "GET / HTTP/1.1

use std::io::{self, Read};

/// The longest head, in bytes.
pub const LIMIT: usize = 16 * 1024;

/// The bytes of a request, from the first to the empty line at least.
pub fn read_head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    // The whole of it is searched, because the empty line itself may be cut.
    loop {
        let is_whole = received.windows(4).any(|four| four == b"\r\n\r\n");
        if received.len() >= LIMIT {
            return Ok(None);
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        received.extend_from_slice(&buffer[..count]);
        if is_whole {
            return Ok(Some(received));
        }
    }
}
