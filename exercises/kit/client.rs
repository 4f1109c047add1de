//! A client that speaks raw bytes.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Read, Write},
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
    /// What follows.
    pub body: String,
}

/// A connection. Every wait ends after [`deadline`].
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    server: Server,
}

impl Client {
    #[track_caller]
    pub(crate) fn connect(server: &Server) -> Client {
        let stream = match TcpStream::connect_timeout(&server.address(), deadline()) {
            Ok(stream) => stream,
            Err(error) => {
                let end = server.end().unwrap_or_default();
                fail(format_args!("nobody accepts a connection ({error}). {end}"), "a server")
            }
        };
        // So that what is sent in two pieces leaves as two.
        stream.set_nodelay(true).expect("an open connection can be set up");
        stream.set_write_timeout(Some(deadline())).expect("the deadline is not zero");
        Client { stream, server: server.clone() }
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
    /// When none comes, or half of one; `expected` says what should have come.
    #[track_caller]
    pub fn response(&mut self, expected: impl Display) -> Response {
        let start = Instant::now();
        let mut received = Vec::new();
        loop {
            if let Some(response) = whole(&received) {
                return response;
            }
            match self.read(deadline().saturating_sub(start.elapsed())) {
                Ok(bytes) if !bytes.is_empty() => received.extend(bytes),
                Ok(_) => self.give_up(&received, "then the connection was closed", expected),
                Err(error) if is_timeout(&error) => {
                    let then = format!("then nothing more for {:?}", deadline());
                    self.give_up(&received, &then, expected)
                }
                Err(error) => self.give_up(
                    &received,
                    &format!("then the connection broke ({error})"),
                    expected,
                ),
            }
        }
    }

    #[track_caller]
    fn give_up(&self, received: &[u8], then: &str, expected: impl Display) -> ! {
        let begun = match received {
            [] => "not a byte of an answer".to_owned(),
            bytes => format!("\"{}\"", bytes[..bytes.len().min(400)].escape_ascii()),
        };
        let end = self.server.end().map(|end| format!("; {end}")).unwrap_or_default();
        fail(format_args!("{begun}, {then}{end}"), expected)
    }

    /// Whether the server ends the connection before the deadline. What comes before the end is thrown away.
    pub fn is_closed(&mut self) -> bool {
        let start = Instant::now();
        loop {
            match self.read(deadline().saturating_sub(start.elapsed())) {
                Ok(bytes) if bytes.is_empty() => return true,
                Ok(_) => {}
                Err(error) => return !is_timeout(&error),
            }
        }
    }

    /// Whether anything comes within `limit`: bytes, or the end.
    pub fn hears_within(&mut self, limit: Duration) -> bool {
        !matches!(self.read(limit), Err(error) if is_timeout(&error))
    }

    /// Reads what there is, and waits no longer than `limit` for it. No bytes: the end.
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

/// The answer, once all of it is there: a head, and as many bytes as its `Content-Length` says.
fn whole(received: &[u8]) -> Option<Response> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&received[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let length: usize = length.unwrap_or(0);
    let body = received.get(end + 4..end + 4 + length)?;
    Some(Response { status, head, body: String::from_utf8_lossy(body).into_owned() })
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
        let response = whole(text).expect("it is whole");
        assert_eq!((response.status, response.body.as_str()), (404, "none"));
    }
}
