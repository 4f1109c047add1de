// Wrong: takes whatever has come for the head when the client ends.
// The check says: None, because the client ended after

use std::io::{self, Read};

/// The longest head, in bytes.
pub const LIMIT: usize = 16 * 1024;

/// The bytes of a request, from the first to the empty line at least.
pub fn read_head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    // The whole of it is searched, because the empty line itself may be cut.
    while !received.windows(4).any(|four| four == b"\r\n\r\n") {
        if received.len() >= LIMIT {
            return Ok(None);
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(Some(received));
        }
        received.extend_from_slice(&buffer[..count]);
    }
    Ok(Some(received))
}
