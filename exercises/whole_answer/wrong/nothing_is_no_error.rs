// Wrong: continues forever when nothing was taken.
// The check says: send_all had not ended

use std::io::{self, ErrorKind, Write};

/// Sends all of `bytes`.
pub fn send_all(stream: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
