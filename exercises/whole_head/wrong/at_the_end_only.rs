// Wrong: looks for the empty line only at the end, where a body or the next request may already be.
// The check says: came in one piece with its end

use std::io::{self, Read};

/// The longest head, in bytes.
pub const LIMIT: usize = 16 * 1024;

/// The bytes of a request, from the first to the empty line at least.
pub fn read_head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    while !received.ends_with(b"\r\n\r\n") {
        if received.len() >= LIMIT {
            return Ok(None);
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        received.extend_from_slice(&buffer[..count]);
    }
    Ok(Some(received))
}
