// Wrong: counts the bytes taken, but sends from the beginning each time.
// The check says: all 1000 bytes, each once and in order

use std::io::{self, ErrorKind, Write};

/// Sends all of `bytes`.
pub fn send_all(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut taken = 0;
    while taken < bytes.len() {
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => taken += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
