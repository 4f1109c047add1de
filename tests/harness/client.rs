//! A client that speaks raw bytes.

use std::{
    fmt::{self, Display},
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use site::HEAD_TIME;
use socket2::{Domain, SockRef, Socket, Type};

#[cfg(target_os = "linux")]
use super::server::Server;
use super::{
    failure::{Excerpt, Failure},
    probe::Answer,
};
use crate::cases::Target;
#[cfg(target_os = "linux")]
use crate::wait_for;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closed it properly.
    Closed,
    /// The server reset it: what it had sent may be lost.
    Reset,
}

impl Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            End::Closed => "the end of the connection",
            End::Reset => "a reset of the connection",
        })
    }
}

/// Which head a client takes for that of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One of HTTP/1.1 in plain ASCII, as our servers write it.
    Plain,
    /// Any that the RFCs allow, with tabs and other bytes in its values (RFC 9110, section 5.5); of HTTP/1.0 too, in which
    /// some servers answer a client of that version.
    Any,
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
    /// The start of what it answers.
    sent: String,
}

impl Response {
    /// Takes a whole head off what arrived, and checks its form; `None` as long as it is not whole.
    ///
    /// # Errors
    /// When it is not a head of this form.
    pub fn take_head(received: &mut Vec<u8>, form: Form) -> Result<Option<Response>, String> {
        let most = match form {
            Form::Plain => 64,
            Form::Any => 4096,
        };
        let mut headers = vec![httparse::EMPTY_HEADER; most];
        let mut parsed = httparse::Response::new(&mut headers);
        let length = match parsed.parse(received) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if parsed.version != Some(1) && form == Form::Plain {
            return Err("not of HTTP/1.1".to_owned());
        }
        // httparse forgives a line that ends without CR; browsers and proxies need not.
        let head = &received[..length];
        for (at, byte) in head.iter().enumerate() {
            let in_place = match byte {
                b'\r' => head.get(at + 1) == Some(&b'\n'),
                b'\n' => at > 0 && head[at - 1] == b'\r',
                b'\t' | 0x80.. => form == Form::Any,
                _ => byte.is_ascii_graphic() || *byte == b' ',
            };
            if !in_place {
                return Err(format!("byte {at} is not where it belongs"));
            }
        }
        let headers = parsed.headers.iter().map(|header| {
            // What is no text is read only to be shown.
            (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
        });
        let headers = headers.collect();
        let status = parsed.code.expect("it is whole");
        let reason = parsed.reason.expect("it is whole").to_owned();
        let head = received.drain(..length).collect();
        let (body, sent) = (Vec::new(), String::new());
        Ok(Some(Response { status, reason, headers, head, body, sent }))
    }

    /// The values of the header lines of this name.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let lines = self.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        lines.map(|(_, value)| value.as_str())
    }

    /// The value of a header; `None` where the response does not have it once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.values(name);
        let value = values.next();
        if values.next().is_none() { value } else { None }
    }

    /// The body as text; nothing where it is none.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }

    /// It came, where this was wanted.
    pub fn failure(&self, wanted: impl Display) -> Failure {
        let came = Excerpt::of(&[self.head.as_slice(), &self.body].concat());
        Failure { sent: self.sent.clone(), ..Failure::seen(came, wanted) }
    }

    /// Fails unless it is so.
    ///
    /// # Errors
    /// The response itself, and what was wanted of it.
    pub fn ensure(&self, holds: bool, wanted: impl Display) -> Result<(), Failure> {
        if holds { Ok(()) } else { Err(self.failure(wanted)) }
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "the response {} {}", Excerpt::of(&self.head), Excerpt::of(&self.body))
    }
}

/// How much a client takes that was not asked for yet. No server of ours sends so much.
const MOST: usize = 8 * 1024 * 1024;

/// What is said of more.
const WITHOUT_END: &str = "more than 8 MiB came, without an end";

/// A connection to a server. Every wait ends when the server's time is over ([`Target::patience`]), with a failure that
/// says what was seen.
#[derive(Debug)]
pub struct Client {
    /// The server at the other end.
    pub server: Target,
    stream: TcpStream,
    /// Bytes that arrived and were not asked for yet.
    received: Vec<u8>,
    /// What it sent since its last answer.
    sent: Excerpt,
    is_answered: bool,
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
    ///
    /// # Errors
    /// As [`connect`](Client::connect) and [`send`](Client::send).
    pub fn half_open(server: &Target) -> Result<Client, Failure> {
        let mut client = Client::connect(server)?;
        client.send(format!("GET / HTTP/1.1\r\nHost: {}\r\n", server.host()))?;
        Ok(client)
    }

    /// Connects clients that send half a request, until a server that may have so many descriptors in each process has
    /// no other left, and then thirty that it can't accept.
    ///
    /// The first come one at a time: a process that accepts for others, as that of `node:cluster`, turns away what it
    /// can't pass on as fast as it comes, and then the others have descriptors left.
    ///
    /// # Errors
    /// When one can't connect, or descriptors are left however many do.
    #[cfg(target_os = "linux")]
    pub fn half_open_until_full(server: &Server, limit: u64) -> Result<Vec<Client>, Failure> {
        let mut clients = Vec::new();
        wait_for("no descriptor is left", || {
            let full = server.has_all_files_open(limit);
            if !full {
                clients.push(Client::half_open(server)?);
            }
            Ok(full)
        })?;
        for _ in 0..30 {
            clients.push(Client::half_open(server)?);
        }
        Ok(clients)
    }

    /// Connects and asks, and has not yet looked for the answer.
    ///
    /// # Errors
    /// As [`connect`](Client::connect) and [`send`](Client::send).
    pub fn asking(server: &Target, target: &str) -> Result<Client, Failure> {
        let mut client = Client::connect(server)?;
        client.get(target)?;
        Ok(client)
    }

    /// Connects.
    ///
    /// # Errors
    /// When that fails.
    pub fn connect(server: &Target) -> Result<Client, Failure> {
        Client::try_connect(server, server.patience_left())
            .map_err(|error| not_connected(server, &error))
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
    /// # Errors
    /// When that fails.
    pub fn connect_with_small_buffers(server: &Target) -> Result<Client, Failure> {
        let connect = |address: SocketAddr| {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
            socket.set_recv_buffer_size(2048)?;
            socket.set_send_buffer_size(8192)?;
            socket.connect_timeout(&address.into(), server.patience_left())?;
            Client::over(socket.into(), server)
        };
        connect(server.address).map_err(|error| not_connected(server, &error))
    }

    fn over(stream: TcpStream, server: &Target) -> io::Result<Client> {
        // So that what is sent in two pieces leaves as two.
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(server.patience_left()))?;
        let (received, sent) = (Vec::new(), Excerpt::default());
        Ok(Client { server: *server, stream, received, sent, is_answered: false })
    }

    /// What came so far, or how the wait for more ended, where this was wanted.
    fn failure(&self, came: impl Display, wanted: impl Display) -> Failure {
        Failure { sent: self.sent.to_string(), ..Failure::seen(came, wanted) }
    }

    /// What came and was not taken yet, and how it ended.
    fn received_and(&self, end: impl Display) -> String {
        match self.received.as_slice() {
            [] => end.to_string(),
            received => format!("{}, and then {end}", Excerpt::of(received)),
        }
    }

    /// Notes that bytes are sent.
    fn sends(&mut self, bytes: &[u8]) {
        if self.is_answered {
            self.sent = Excerpt::default();
            self.is_answered = false;
        }
        self.sent.add(bytes);
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the server has closed the connection, or does not read.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let sent = self.try_send(bytes);
        sent.map_err(|error| self.failure(error, "a connection that takes all of that"))
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the server has closed the connection, or does not read.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.sends(bytes.as_ref());
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
                    self.sends(&next[..count]);
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
        // Some systems refuse it for a connection that the server has reset; a write tells the same.
        let _ = self.stream.set_write_timeout(Some(limit));
    }

    /// Sends a plain `GET` for `target`. If that is a whole URL, its host is the one that the request names.
    ///
    /// # Errors
    /// As [`send`](Client::send).
    pub fn get(&mut self, target: &str) -> Result<(), Failure> {
        let own = self.server.host();
        let host = match target.split_once("://") {
            Some((_, rest)) => rest.split(['/', '?']).next().unwrap_or(rest),
            None => &own,
        };
        self.send(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    }

    /// Says that nothing more will be sent, and goes on receiving.
    ///
    /// # Errors
    /// When the server has reset the connection.
    pub fn finish_sending(&mut self) -> Result<(), Failure> {
        let finished = self.stream.shutdown(Shutdown::Write);
        finished.map_err(|error| self.failure(error, "a connection that is open"))
    }

    /// Ends the connection with a reset, as a program that crashes may.
    pub fn reset(self) {
        // It fails where the server has been first.
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    /// Reads one response with its body, and leaves what follows.
    ///
    /// # Errors
    /// When what comes is not a whole response that RFC 9112 allows.
    pub fn response(&mut self) -> Result<Response, Failure> {
        self.read_response(true)
    }

    /// Reads one response to a `HEAD`, which has no body.
    ///
    /// # Errors
    /// As [`response`](Client::response).
    pub fn response_to_head(&mut self) -> Result<Response, Failure> {
        self.read_response(false)
    }

    /// Reads one final response of a server that may do otherwise: it may close the connection, or stay silent for longer
    /// than its limits of time. Which of the two it does, comes in place of the response.
    ///
    /// # Errors
    /// As [`response`](Client::response).
    pub fn response_if_any(&mut self, has_body: bool) -> Result<Result<Response, Answer>, Failure> {
        // Nobody needs so many that are not final.
        for _ in 0..100 {
            if !self.hears_within(HEAD_TIME + Duration::from_secs(2)) {
                return Ok(Err(Answer::Silence));
            }
            if self.received.is_empty() {
                return Ok(Err(Answer::Close));
            }
            if self.received[0] == 0 {
                // No text of HTTP/1 begins so, but a frame of HTTP/2 does: with its length (RFC 9113, section 4.1).
                return Ok(Err(Answer::OtherProtocol));
            }
            let response = self.read_response(has_body)?;
            // What comes before the final response, such as a "100 Continue", is passed over.
            if response.status >= 200 {
                return Ok(Ok(response));
            }
        }
        Err(self.failure("a hundred responses, and none of them is final", "a final response"))
    }

    fn read_response(&mut self, has_body: bool) -> Result<Response, Failure> {
        let start = Instant::now();
        let form = if self.server.library_refuses() { Form::Any } else { Form::Plain };
        let mut response = loop {
            match Response::take_head(&mut self.received, form) {
                Ok(Some(response)) => break response,
                Ok(None) => self.read_more(start, "a response head")?,
                Err(why) => {
                    let came = Excerpt::of(&self.received);
                    let came = format!("no HTTP response, because {why}: {came}");
                    return Err(self.failure(came, "an HTTP/1.1 response"));
                }
            }
        };
        response.sent = self.sent.to_string();
        self.is_answered = true;
        if self.server.library_refuses() {
            // A library may add a line that its handler has set already.
            response.headers.sort();
            response.headers.dedup();
        }
        if response.status < 200 {
            // It has no body, and the final response comes after it.
            return Ok(response);
        }
        if self.server.is_theirs() {
            if !has_body || [204, 304].contains(&response.status) {
                return Ok(response);
            }
            let coding = response.header("transfer-encoding");
            if coding.is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
                response.body = self.chunks(start)?;
                return Ok(response);
            }
        }
        let lengths: Vec<&str> = response.values("content-length").collect();
        let length: Option<usize> = match lengths[..] {
            [] => None,
            [digits] => match digits.parse() {
                Ok(length) => Some(length),
                Err(_) => return Err(response.failure("a number as its `Content-Length`")),
            },
            _ => return Err(response.failure("one `Content-Length`")),
        };
        let is_refusal_of_a_library = self.server.library_refuses() && response.status >= 400;
        let Some(length) = length else {
            if !is_refusal_of_a_library && !self.server.is_theirs() {
                return Err(response.failure("a `Content-Length`"));
            }
            // It need have no length: its end is that of the connection.
            let end;
            (response.body, end) = self.rest().map_err(|failure| Failure {
                came: format!("{}, and then {}", Excerpt::of(&response.head), failure.came),
                wanted:
                    "a `Content-Length`, or the end of the connection behind a body without one"
                        .to_owned(),
                ..failure
            })?;
            let is_whole = end == End::Closed || !self.server.is_theirs();
            response.ensure(is_whole, "a response without a length that ends without a reset")?;
            return Ok(response);
        };
        if has_body {
            while self.received.len() < length {
                self.read_more(start, &format!("a body of {length} bytes after {response:?}"))?;
            }
            response.body = self.received.drain(..length).collect();
        }
        Ok(response)
    }

    /// Reads a body in chunks to its end (RFC 9112, section 7.1).
    fn chunks(&mut self, start: Instant) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        loop {
            let line = self.line(start)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let Ok(size) = usize::from_str_radix(digits, 16) else {
                return Err(self.failure(format!("{line:?}"), "the size of a chunk"));
            };
            if size == 0 {
                // What follows the last chunk ends with an empty line.
                while !self.line(start)?.is_empty() {}
                return Ok(body);
            }
            let what = format!("a chunk of {size} bytes");
            while self.received.len() < size {
                self.read_more(start, &what)?;
            }
            body.extend(self.received.drain(..size));
            if body.len() > MOST {
                return Err(self.failure(WITHOUT_END, what));
            }
            let end = self.line(start)?;
            if !end.is_empty() {
                return Err(self.failure(format!("{end:?}"), format!("the end of {what}")));
            }
        }
    }

    /// Reads a line, and takes it without its end.
    fn line(&mut self, start: Instant) -> Result<String, Failure> {
        loop {
            if let Some(at) = self.received.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = self.received.drain(..at + 2).collect();
                return Ok(String::from_utf8_lossy(&line[..at]).into_owned());
            }
            self.read_more(start, "a line of a body in chunks")?;
        }
    }

    fn read_more(&mut self, start: Instant, wanted: &str) -> Result<(), Failure> {
        match self.read_once(self.server.patience().saturating_sub(start.elapsed())) {
            Ok(1..) => Ok(()),
            Ok(_) => Err(self.failure(self.received_and(End::Closed), wanted)),
            Err(error) => Err(self.failure(self.received_and(error), wanted)),
        }
    }

    /// Reads what there is, and waits for it no longer than `limit`. No bytes at all: the end.
    fn read_once(&mut self, limit: Duration) -> io::Result<usize> {
        if self.received.len() > MOST {
            return Err(io::Error::other(WITHOUT_END));
        }
        let limit = limit.min(self.server.time_left());
        if limit.is_zero() {
            // Somebody who sends a little now and then must not get more of it.
            return Err(io::Error::new(ErrorKind::TimedOut, "the end of the time for it"));
        }
        self.stream.set_read_timeout(Some(limit))?;
        let mut buffer = [0; 65536];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    self.received.extend_from_slice(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The system's words for a read that ran out of time are "Resource temporarily unavailable".
                Err(error) if is_timeout(&error) => {
                    return Err(io::Error::new(
                        ErrorKind::TimedOut,
                        format!("nothing for {limit:.1?}"),
                    ));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads so many bytes, whatever they say, and leaves what follows.
    ///
    /// # Errors
    /// When fewer come.
    pub fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let start = Instant::now();
        while self.received.len() < count {
            self.read_more(start, &format!("{count} bytes"))?;
        }
        self.is_answered = true;
        Ok(self.received.drain(..count).collect())
    }

    /// Reads until the connection ends: all that came, and how it ended.
    ///
    /// # Errors
    /// When it does not end.
    pub fn rest(&mut self) -> Result<(Vec<u8>, End), Failure> {
        let start = Instant::now();
        let patience = self.server.patience();
        let end = loop {
            match self.read_once(patience.saturating_sub(start.elapsed())) {
                Ok(0) => break End::Closed,
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {
                    let came = self.received_and(format_args!("no end for {patience:?}"));
                    return Err(self.failure(came, "the end of the connection"));
                }
                // More than anybody reads.
                Err(_) if self.received.len() > MOST => {
                    return Err(self.failure(WITHOUT_END, "the end of the connection"));
                }
                Err(_) => break End::Reset,
            }
        };
        Ok((std::mem::take(&mut self.received), end))
    }

    /// Waits until the server closes the connection without another byte, and without a reset.
    ///
    /// # Errors
    /// When it does anything else.
    pub fn ends(&mut self) -> Result<(), Failure> {
        match self.rest()? {
            (rest, End::Closed) if rest.is_empty() => Ok(()),
            (rest, end) => {
                let came = if rest.is_empty() {
                    end.to_string()
                } else {
                    format!("{}, and then {end}", Excerpt::of(&rest))
                };
                Err(self.failure(came, "the end of the connection, and nothing before it"))
            }
        }
    }

    /// Waits until the connection ends without another byte, be it by a reset: bytes that nobody reads cause one.
    ///
    /// # Errors
    /// When it does not end, or more comes before.
    pub fn ends_anyhow(&mut self) -> Result<(), Failure> {
        let (rest, _) = self.rest()?;
        let wanted = "the end of the connection, and nothing before it";
        self.ensure(rest.is_empty(), Excerpt::of(&rest), wanted)
    }

    /// Whether what comes until the connection ends says somewhere that it does.
    pub fn is_told_to_end(&mut self) -> bool {
        let Ok((rest, _)) = self.rest() else { return false };
        rest.to_ascii_lowercase().windows(19).any(|it| it == b"\r\nconnection: close")
    }

    /// What has come and was not asked for yet.
    pub fn begun(&self) -> &[u8] {
        &self.received
    }

    /// Whether anything comes within `limit`: bytes, or the end.
    pub fn hears_within(&mut self, limit: Duration) -> bool {
        if !self.received.is_empty() {
            return true;
        }
        !matches!(self.read_once(limit), Err(error) if is_timeout(&error))
    }

    /// Fails unless it is so.
    ///
    /// # Errors
    /// What the client has sent, what came of it, and what was wanted.
    pub fn ensure(
        &self,
        holds: bool,
        came: impl Display,
        wanted: impl Display,
    ) -> Result<(), Failure> {
        if holds { Ok(()) } else { Err(self.failure(came, wanted)) }
    }
}

/// The failure of a client that can't connect.
fn not_connected(server: &Target, error: &io::Error) -> Failure {
    let address = server.address;
    let came = if is_timeout(error) {
        format!("cannot connect to {address}: {error}: perhaps its backlog is full")
    } else {
        format!("cannot connect to {address}: {error}")
    };
    Failure { is_of_client: is_of_client(error), ..Failure::seen(came, "a connection") }
}

/// Whether it is for the client's side that there is no connection: it has no descriptor, port or memory left.
#[cfg(unix)]
fn is_of_client(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let ours = [Errno::EMFILE, Errno::ENFILE, Errno::EADDRNOTAVAIL, Errno::ENOBUFS, Errno::ENOMEM];
    error.raw_os_error().is_some_and(|number| ours.contains(&Errno::from_raw(number)))
}

/// Whether it is for the client's side that there is no connection: it has no port or memory left.
#[cfg(not(unix))]
fn is_of_client(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrNotAvailable | ErrorKind::OutOfMemory)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
