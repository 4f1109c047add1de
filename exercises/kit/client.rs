//! A client that speaks raw bytes.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Read, Write},
    mem,
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

use crate::{Server, deadline, fail};

/// An answer, taken apart.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The lines before the empty one.
    pub head: String,
    /// The bytes after it.
    pub body: String,
}

/// A connection. Every wait ends after [`deadline`].
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    server: Server,
    /// The bytes after the last answer.
    rest: Vec<u8>,
}

impl Client {
    #[track_caller]
    pub(crate) fn connect(server: &Server) -> Client {
        let stream = match TcpStream::connect_timeout(&server.address(), deadline()) {
            Ok(stream) => stream,
            Err(error) => {
                let end = server.end_after_a_break().unwrap_or_default();
                fail(
                    format_args!("the server accepts no connection ({error}). {end}"),
                    "a server that goes on accepting; look at what can end its loop",
                )
            }
        };
        // Two pieces that are sent leave as two packets.
        stream.set_nodelay(true).expect("an open connection can be set up");
        stream.set_write_timeout(Some(deadline())).expect("the deadline is not zero");
        Client { stream, server: server.clone(), rest: Vec::new() }
    }

    /// Sends bytes as they are. A server that is gone is noticed when its answer is read.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref());
    }

    /// Sends a plain `GET` for `target`.
    pub fn get(&mut self, target: &str) {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }

    /// Says that nothing more will be sent.
    pub fn finish_sending(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads one whole answer.
    ///
    /// # Panics
    /// When none comes, or half of one; `expected`: what should have come.
    #[track_caller]
    pub fn response(&mut self, expected: impl Display) -> Response {
        let start = Instant::now();
        let mut received = mem::take(&mut self.rest);
        loop {
            if let Some((response, end)) = whole(&received) {
                self.rest = received.split_off(end);
                return response;
            }
            match self.read(deadline().saturating_sub(start.elapsed())) {
                Ok(bytes) if !bytes.is_empty() => received.extend(bytes),
                Ok(_) => self.give_up(&received, "and then the connection was closed", expected),
                Err(error) if is_timeout(&error) => {
                    let then = format!("and then nothing for {:?}", deadline());
                    self.give_up(&received, &then, expected)
                }
                Err(error) => self.give_up(
                    &received,
                    &format!("and then the connection broke ({error})"),
                    expected,
                ),
            }
        }
    }

    #[track_caller]
    fn give_up(&self, received: &[u8], then: &str, expected: impl Display) -> ! {
        let begun = match received {
            [] => "the client got not a byte of an answer".to_owned(),
            bytes => format!("the client got \"{}\"", bytes[..bytes.len().min(400)].escape_ascii()),
        };
        let begun = match Parts::of(received) {
            Some(Parts { length, body, .. }) => {
                format!("{begun}: {body} of the {length} bytes that its Content-Length promises")
            }
            None => begun,
        };
        let end = self.server.end_after_a_break();
        let end = end.map(|end| format!("; {end}")).unwrap_or_default();
        fail(format_args!("{begun}, {then}{end}"), expected)
    }

    /// The bytes after the last answer, up to the end of the connection; `None` if it does not end before
    /// the deadline.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let start = Instant::now();
        let mut rest = mem::take(&mut self.rest);
        loop {
            match self.read(deadline().saturating_sub(start.elapsed())) {
                Ok(bytes) if bytes.is_empty() => return Some(rest),
                Ok(bytes) => rest.extend(bytes),
                Err(error) if is_timeout(&error) => return None,
                Err(_) => return Some(rest),
            }
        }
    }

    /// The next `count` bytes, or fewer if no more come before the deadline or the end.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let start = Instant::now();
        let mut received = mem::take(&mut self.rest);
        while received.len() < count {
            match self.read(deadline().saturating_sub(start.elapsed())) {
                Ok(bytes) if !bytes.is_empty() => received.extend(bytes),
                _ => break,
            }
        }
        self.rest = received.split_off(count.min(received.len()));
        received
    }

    /// Whether the server ends the connection before the deadline.
    pub fn is_closed(&mut self) -> bool {
        self.rest().is_some()
    }

    /// Whether anything comes within `limit`: bytes, which the next answer begins with, or the end.
    pub fn hears_within(&mut self, limit: Duration) -> bool {
        match self.read(limit) {
            Ok(bytes) => {
                self.rest.extend(bytes);
                true
            }
            Err(error) => !is_timeout(&error),
        }
    }

    /// Reads what there is, waiting no longer than `limit` for it. No bytes: the end.
    fn read(&mut self, limit: Duration) -> io::Result<Vec<u8>> {
        self.stream.set_read_timeout(Some(limit.max(Duration::from_millis(1))))?;
        let mut buffer = vec![0; 65536];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    buffer.truncate(count);
                    return Ok(buffer);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// An answer whose head is whole.
struct Parts<'a> {
    head: &'a str,
    /// The place at which the body begins.
    begin: usize,
    /// Its `Content-Length`.
    length: usize,
    /// The number of bytes that have come behind the head.
    body: usize,
}

impl Parts<'_> {
    fn of(received: &[u8]) -> Option<Parts<'_>> {
        let end = received.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = str::from_utf8(&received[..end]).unwrap_or_default();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let begin = end + 4;
        Some(Parts { head, begin, length: length.unwrap_or(0), body: received.len() - begin })
    }
}

/// The answer, once all of it is there, and where it ends: a head, and as many bytes as its `Content-Length` says.
fn whole(received: &[u8]) -> Option<(Response, usize)> {
    let Parts { head, begin, length, .. } = Parts::of(received)?;
    let end = begin + length;
    let body = String::from_utf8_lossy(received.get(begin..end)?).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Some((Response { status, head: head.to_owned(), body }, end))
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_when_its_length_is_there() {
        let text = b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone";
        for end in 0..text.len() {
            assert!(whole(&text[..end]).is_none(), "{end}");
        }
        let (response, end) = whole(&[text.as_slice(), b"more"].concat()).expect("it is whole");
        assert_eq!((response.status, response.body.as_str(), end), (404, "none", text.len()));
    }
}
