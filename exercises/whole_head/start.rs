// Read a head that comes in pieces.
//
// A request head ends with an empty line: the bytes "\r\n\r\n". The network may cut it anywhere,
// and `read` returns as soon as there is anything at all.
//
// Your turn: `read_head` takes the bytes of one `read`, and hopes. Let it read on until the empty line
// is there. It gives up, with `None`, when the client ends before that, or when it has `LIMIT` bytes
// and still no empty line.

use std::io::{self, Read};

/// The longest head, in bytes.
pub const LIMIT: usize = 16 * 1024;

/// The bytes of a request, from the first to the empty line at least.
pub fn read_head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut buffer = [0; 1024];
    let count = stream.read(&mut buffer)?;
    Ok(Some(buffer[..count].to_vec()))
}
