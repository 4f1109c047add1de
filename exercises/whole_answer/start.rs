// Send all of an answer.
//
// `write` takes as many bytes as there is room for, and returns how many. The rest is yours to send.
//
// Your turn: `send_all` calls `write` once. Let it send all bytes:
// - `write` may take a part: continue with the rest.
// - `write` may fail with `ErrorKind::Interrupted`, because a signal came: try again.
// - `write` may take 0 bytes of several: it will never take the rest, so return `ErrorKind::WriteZero`.
// The standard library calls this `write_all`; write it yourself once.

use std::io::{self, ErrorKind, Write};

/// Sends all of `bytes`.
pub fn send_all(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write(bytes)?;
    Ok(())
}
