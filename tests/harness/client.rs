//! A client that speaks raw bytes.

use std::{
    fmt,
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use site::HEAD_TIME;
use socket2::{Domain, SockRef, Socket, Type};

#[cfg(target_os = "linux")]
use super::server::Server;
use super::{conversation::Talk, probe::Answer};
use crate::cases::Target;
#[cfg(target_os = "linux")]
use crate::wait_until;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closed it properly.
    Closed,
    /// The server reset it: what it had sent may be lost.
    Reset,
}

/// A response as it came, taken apart.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The words after the code.
    pub reason: String,
    /// The header lines in order.
    pub headers: Vec<(String, String)>,
    /// The head as it came, with the empty line.
    pub head: Vec<u8>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Takes a whole head off what arrived, and checks its form; `None` as long as it is not whole.
    ///
    /// # Panics
    /// When it is not a head that RFC 9112 allows, or is of another version although `may_be_old` does not say so.
    #[track_caller]
    pub fn take_head(received: &mut Vec<u8>, may_be_old: bool) -> Option<Response> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Response::new(&mut headers);
        let length = match parsed.parse(received) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return None,
            Err(error) => panic!("no HTTP response: {error}: {}", Shown(received)),
        };
        let is_current = parsed.version == Some(1) || may_be_old;
        assert!(is_current, "HTTP/1.1 in {}", Shown(received));
        let headers = parsed.headers.iter().map(|header| {
            let value = std::str::from_utf8(header.value).expect("a header value is ASCII");
            (header.name.to_owned(), value.to_owned())
        });
        let headers = headers.collect();
        let status = parsed.code.expect("it is whole");
        let reason = parsed.reason.expect("it is whole").to_owned();
        let head: Vec<u8> = received.drain(..length).collect();
        // httparse forgives a line that ends without CR; browsers and proxies need not.
        for (at, byte) in head.iter().enumerate() {
            let in_place = match byte {
                b'\r' => head.get(at + 1) == Some(&b'\n'),
                b'\n' => at > 0 && head[at - 1] == b'\r',
                _ => byte.is_ascii_graphic() || *byte == b' ',
            };
            assert!(in_place, "byte {at} is not where it belongs in {}", Shown(&head));
        }
        Some(Response { status, reason, headers, head, body: Vec::new() })
    }

    /// The value of a header; `None` where the response does not have it.
    ///
    /// # Panics
    /// When the response has it twice.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "two header lines {name} in {self:?}");
        value
    }

    /// The body as text.
    ///
    /// # Panics
    /// When it is not UTF-8.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "the response {} {}", Shown(&self.head), Shown(&self.body))
    }
}

/// Bytes as a message shows them: escaped, and not too many.
pub struct Shown<'a>(pub &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let most = 600;
        let start = &self.0[..self.0.len().min(most)];
        write!(formatter, "\"{}\"", start.escape_ascii())?;
        if self.0.len() > most {
            write!(formatter, " and {} bytes more", self.0.len() - most)?;
        }
        Ok(())
    }
}

/// How much a client takes that was not asked for yet. No server of ours sends so much.
const MOST: usize = 8 * 1024 * 1024;

/// What is said of more.
const WITHOUT_END: &str = "more than 8 MiB came, without an end";

/// A connection to a server. Every wait ends when the server's time is over ([`Target::patience`]), with a panic that says
/// what was seen.
#[derive(Debug)]
pub struct Client {
    /// The server at the other end.
    pub server: Target,
    stream: TcpStream,
    /// Bytes that arrived and were not asked for yet.
    received: Vec<u8>,
    talk: Talk,
}

/// A client that always has a next request. See [`Client::never_pause`].
#[derive(Debug)]
pub struct NeverPauses(TcpStream);

impl Drop for NeverPauses {
    fn drop(&mut self) {
        // Ends both threads. The server may have been first, which is as good.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Client {
    /// Connects, and sends half a request.
    #[track_caller]
    pub fn half_open(server: &Target) -> Client {
        let mut client = Client::connect(server);
        client.send("GET / HTTP/1.1\r\nHost: a\r\n");
        client
    }

    /// Connects clients that send half a request, until a server that may have so many descriptors in each process has
    /// no other left, and then thirty that it can't accept.
    ///
    /// The first come one at a time: a process that accepts for others, as that of `node:cluster`, turns away what it
    /// can't pass on as fast as it comes, and then the others have descriptors left.
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub fn half_open_until_full(server: &Server, limit: u64) -> Vec<Client> {
        let mut clients = Vec::new();
        wait_until("no descriptor is left", || {
            let full = server.has_all_files_open(limit);
            if !full {
                clients.push(Client::half_open(server));
            }
            full
        });
        clients.extend((0..30).map(|_| Client::half_open(server)));
        clients
    }

    /// Connects and asks, and has not yet looked for the answer.
    #[track_caller]
    pub fn asking(server: &Target, target: &str) -> Client {
        let mut client = Client::connect(server);
        client.get(target);
        client
    }

    /// Connects.
    ///
    /// # Panics
    /// When that fails.
    #[track_caller]
    pub fn connect(server: &Target) -> Client {
        Client::try_connect(server, server.patience_left())
            .unwrap_or_else(|error| panic!("cannot connect to {}: {error}", server.address))
    }

    /// Connects, if that is possible within `limit`.
    ///
    /// # Errors
    /// When the server is gone, or its backlog is full.
    pub fn try_connect(server: &Target, limit: Duration) -> io::Result<Client> {
        Client::over(TcpStream::connect_timeout(&server.address, limit)?, server)
    }

    /// Connects with small buffers in both directions, so that each side soon must wait for the other.
    ///
    /// # Panics
    /// When that fails.
    #[track_caller]
    pub fn connect_with_small_buffers(server: &Target) -> Client {
        let connect = |address: SocketAddr| {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
            socket.set_recv_buffer_size(2048)?;
            socket.set_send_buffer_size(8192)?;
            socket.connect_timeout(&address.into(), server.patience_left())?;
            Client::over(socket.into(), server)
        };
        connect(server.address).unwrap_or_else(|error| panic!("cannot connect: {error}"))
    }

    fn over(stream: TcpStream, server: &Target) -> io::Result<Client> {
        // So that what is sent in two pieces leaves as two.
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(server.patience_left()))?;
        Ok(Client { server: *server, stream, received: Vec::new(), talk: Talk::default() })
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// When the server has closed the connection, or does not read.
    #[track_caller]
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if let Err(error) = self.try_send(bytes) {
            panic!("cannot send {}: {error}", Shown(bytes));
        }
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the server has closed the connection, or does not read.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.talk.turn().sent.add(bytes.as_ref());
        self.stream.write_all(bytes.as_ref())
    }

    /// Sends `bytes` again and again, until nobody has taken any for a while, or the connection
    /// ends, or `most` bytes are gone. Returns how many are.
    pub fn flood(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut sent = 0;
        self.limit_writes(Duration::from_millis(500));
        while sent < most && !self.server.time_left().is_zero() {
            let next = &bytes[sent % bytes.len()..];
            match self.stream.write(next) {
                Ok(count) => {
                    self.talk.turn().sent.add(&next[..count]);
                    sent += count;
                }
                Err(_) => break,
            }
        }
        sent
    }

    /// Sends this request again and again on a thread of its own, never waiting for an answer, and throws
    /// the answers away on another, until the connection ends or what is returned is dropped.
    pub fn never_pause(self, request: &str) -> NeverPauses {
        let requests = request.repeat(1000);
        let share = || self.stream.try_clone().expect("a socket can be shared");
        let (mut sends, mut receives) = (share(), share());
        thread::spawn(move || while sends.write_all(requests.as_bytes()).is_ok() {});
        thread::spawn(move || io::copy(&mut receives, &mut io::sink()));
        NeverPauses(self.stream)
    }

    /// Whether the server has reset the connection. Sends a byte where there is room for one.
    pub fn is_given_up(&mut self) -> bool {
        self.limit_writes(Duration::from_millis(10));
        matches!(self.stream.write(b"x"), Err(error) if !is_timeout(&error))
    }

    fn limit_writes(&self, limit: Duration) {
        self.stream.set_write_timeout(Some(limit)).expect("no limit here is zero");
    }

    /// Sends a plain `GET` for `target`.
    ///
    /// # Panics
    /// As [`send`](Client::send).
    #[track_caller]
    pub fn get(&mut self, target: &str) {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }

    /// Says that nothing more will be sent, and goes on receiving.
    pub fn finish_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// Ends the connection with a reset, as a program that crashes may.
    pub fn reset(self) {
        let socket = SockRef::from(&self.stream);
        socket.set_linger(Some(Duration::ZERO)).expect("a socket can be told not to linger");
    }

    /// Reads one response with its body, and leaves what follows.
    ///
    /// # Panics
    /// When what comes is not a whole response that RFC 9112 allows.
    #[track_caller]
    pub fn response(&mut self) -> Response {
        self.read_response(true)
    }

    /// Reads one response to a `HEAD`, which has no body.
    ///
    /// # Panics
    /// As [`response`](Client::response).
    #[track_caller]
    pub fn response_to_head(&mut self) -> Response {
        self.read_response(false)
    }

    /// Reads one final response of a server that may do otherwise: it may close the connection, or stay silent for longer
    /// than its limits of time.
    ///
    /// # Errors
    /// Which of the two it does.
    ///
    /// # Panics
    /// As [`response`](Client::response).
    #[track_caller]
    pub fn response_if_any(&mut self, has_body: bool) -> Result<Response, Answer> {
        // Nobody needs so many that are not final.
        for _ in 0..100 {
            if !self.hears_within(HEAD_TIME + Duration::from_secs(2)) {
                return Err(Answer::Silence);
            }
            if self.received.is_empty() {
                return Err(Answer::Close);
            }
            if self.received[0] == 0 {
                // No text of HTTP/1 begins so, but a frame of HTTP/2 does: with its length (RFC 9113, section 4.1).
                return Err(Answer::OtherProtocol);
            }
            let response = self.read_response(has_body);
            // What comes before the final response, such as a "100 Continue", is passed over.
            if response.status >= 200 {
                return Ok(response);
            }
        }
        panic!("a hundred responses, and none of them is final");
    }

    #[track_caller]
    fn read_response(&mut self, has_body: bool) -> Response {
        let start = Instant::now();
        let mut response = loop {
            // Some servers answer an HTTP/1.0 request in that version.
            let may_be_old = self.server.library_refuses();
            if let Some(response) = Response::take_head(&mut self.received, may_be_old) {
                break response;
            }
            self.read_more(start, "a response head");
        };
        if self.server.library_refuses() {
            // A library may add a line that its handler has set already.
            response.headers.sort();
            response.headers.dedup();
        }
        if response.status < 200 {
            // It has no body, and the final response comes after it.
            return response;
        }
        if self.server.is_theirs() {
            if !has_body || [204, 304].contains(&response.status) {
                return response;
            }
            let coding = response.header("transfer-encoding");
            if coding.is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
                response.body = self.chunks(start);
                return response;
            }
        }
        let length = response.header("content-length").map(|digits| {
            digits.parse().unwrap_or_else(|_| panic!("no number: Content-Length in {response:?}"))
        });
        let is_refusal_of_a_library = self.server.library_refuses() && response.status >= 400;
        if length.is_none() && (is_refusal_of_a_library || self.server.is_theirs()) {
            // It need have no length: its end is that of the connection.
            let end;
            (response.body, end) = self.rest();
            let is_whole = end == End::Closed || !self.server.is_theirs();
            assert!(is_whole, "a response without a length ends with a reset: {response:?}");
            return response;
        }
        let length: usize = length.unwrap_or_else(|| panic!("no Content-Length in {response:?}"));
        if has_body {
            while self.received.len() < length {
                self.read_more(start, &format!("a body of {length} bytes after {response:?}"));
            }
            response.body = self.received.drain(..length).collect();
        }
        response
    }

    /// Reads a body in chunks to its end (RFC 9112, section 7.1).
    #[track_caller]
    fn chunks(&mut self, start: Instant) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let line = self.line(start);
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16);
            let size = size.unwrap_or_else(|_| panic!("no size of a chunk: {line:?}"));
            if size == 0 {
                // What follows the last chunk ends with an empty line.
                while !self.line(start).is_empty() {}
                return body;
            }
            while self.received.len() < size {
                self.read_more(start, &format!("a chunk of {size} bytes"));
            }
            body.extend(self.received.drain(..size));
            assert!(body.len() <= MOST, "{WITHOUT_END}");
            let end = self.line(start);
            assert!(end.is_empty(), "a chunk of {size} bytes ends with {end:?}");
        }
    }

    /// Reads a line, and takes it without its end.
    #[track_caller]
    fn line(&mut self, start: Instant) -> String {
        loop {
            if let Some(at) = self.received.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = self.received.drain(..at + 2).collect();
                return String::from_utf8_lossy(&line[..at]).into_owned();
            }
            self.read_more(start, "a line of a body in chunks");
        }
    }

    #[track_caller]
    fn read_more(&mut self, start: Instant, what: &str) {
        match self.read_once(self.server.patience().saturating_sub(start.elapsed())) {
            Ok(1..) => {}
            Ok(_) => panic!(
                "waited for {what}; the connection was closed after {}",
                Shown(&self.received)
            ),
            Err(error) => panic!("waited for {what}; {error} after {}", Shown(&self.received)),
        }
    }

    /// Reads what there is, and waits for it no longer than `limit`. No bytes at all: the end.
    #[track_caller]
    fn read_once(&mut self, limit: Duration) -> io::Result<usize> {
        let said = self.talk.turn();
        assert!(self.received.len() <= MOST, "{WITHOUT_END}");
        let limit = limit.min(self.server.time_left());
        if limit.is_zero() {
            // Somebody who sends a little now and then must not get more of it.
            return Err(io::Error::new(ErrorKind::TimedOut, "the time for it was over"));
        }
        self.stream.set_read_timeout(Some(limit))?;
        let mut buffer = [0; 65536];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    self.received.extend_from_slice(&buffer[..count]);
                    said.came.add(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The system's words for a read that ran out of time are "Resource temporarily unavailable".
                Err(error) if is_timeout(&error) => {
                    return Err(io::Error::new(
                        ErrorKind::TimedOut,
                        format!("nothing came for {limit:.1?}"),
                    ));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads so many bytes, whatever they say, and leaves what follows.
    ///
    /// # Panics
    /// When fewer come.
    #[track_caller]
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let start = Instant::now();
        while self.received.len() < count {
            match self.read_once(self.server.patience().saturating_sub(start.elapsed())) {
                Ok(0) => panic!("the connection ended with {}", Shown(&self.received)),
                Ok(_) => {}
                Err(error) => panic!("{error}, after {}", Shown(&self.received)),
            }
        }
        self.received.drain(..count).collect()
    }

    /// Reads until the connection ends: all that came, and how it ended.
    ///
    /// # Panics
    /// When it does not end.
    #[track_caller]
    pub fn rest(&mut self) -> (Vec<u8>, End) {
        let start = Instant::now();
        let patience = self.server.patience();
        let end = loop {
            match self.read_once(patience.saturating_sub(start.elapsed())) {
                Ok(0) => break End::Closed,
                Ok(_) => {}
                Err(error) if is_timeout(&error) => panic!(
                    "waited for the connection to end; it was still open after {patience:?} and {}",
                    Shown(&self.received)
                ),
                Err(_) => break End::Reset,
            }
        };
        (std::mem::take(&mut self.received), end)
    }

    /// Waits until the server closes the connection without another byte, and without a reset.
    ///
    /// # Panics
    /// When it does anything else.
    #[track_caller]
    pub fn ends(&mut self) {
        let (rest, end) = self.rest();
        assert!(rest.is_empty(), "expected the end, and {} came", Shown(&rest));
        assert_eq!(end, End::Closed, "how the connection ended");
    }

    /// What has come and was not asked for yet.
    pub fn begun(&self) -> &[u8] {
        &self.received
    }

    /// Whether anything comes within `limit`: bytes, or the end.
    #[track_caller]
    pub fn hears_within(&mut self, limit: Duration) -> bool {
        if !self.received.is_empty() {
            return true;
        }
        !matches!(self.read_once(limit), Err(error) if is_timeout(&error))
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
