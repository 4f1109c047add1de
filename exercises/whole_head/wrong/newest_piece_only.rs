// Wrong: searches each piece by itself, but an empty line that was cut in two is in neither.
// The check says: the whole head from the two pieces

use std::io::{self, Read};

/// The longest head, in bytes.
pub const LIMIT: usize = 16 * 1024;

/// The bytes of a request, from the first to the empty line at least.
pub fn read_head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        if received.len() >= LIMIT {
            return Ok(None);
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        received.extend_from_slice(&buffer[..count]);
        if buffer[..count].windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(Some(received));
        }
    }
}
