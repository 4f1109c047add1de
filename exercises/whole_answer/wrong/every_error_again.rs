// Wrong: tries again after every error, even after those that stay.
// The check says: BrokenPipe, at once

use std::io::{self, ErrorKind, Write};

/// Sends all of `bytes`.
pub fn send_all(stream: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(_) => {}
        }
    }
    Ok(())
}
