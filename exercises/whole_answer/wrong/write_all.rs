// Wrong: calls the function of the standard library, which was to be written.
// The check says: a call of `write_all`

use std::io::{self, ErrorKind, Write};

/// Sends all of `bytes`.
pub fn send_all(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)
}
