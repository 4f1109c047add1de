//! HTTP messages that are read from a connection, and written to one: what a proxy has to know of them.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest head of a message, in bytes.
const HEAD_LIMIT: usize = 16 * 1024;

/// The longest body, in bytes: a message is held in memory as a whole.
const BODY_LIMIT: usize = 1024 * 1024;

/// More header lines than this in one head are refused.
const MAX_HEADERS: usize = 100;

/// A request or a response: its first line, its headers and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The request line or the status line, without its end.
    pub line: String,
    /// The names and values of all headers but [those of one connection](of_one_connection).
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, which a `Content-Length` in the headers announces where there is one.
    pub body: Vec<u8>,
    /// Whether the connection may carry another message after this one (RFC 9112, section 9.3).
    pub keeps: bool,
}

impl Message {
    /// A response of one line of text.
    pub fn response(status: &str, keeps: bool) -> Message {
        let body = format!("{status}\n").into_bytes();
        let length = body.len().to_string().into_bytes();
        let headers = vec![("Content-Length".to_owned(), length)];
        Message { line: format!("HTTP/1.1 {status}"), headers, body, keeps }
    }

    /// The bytes that are sent, with a `Connection` header for this connection.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.line).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        let connection = if self.keeps { "keep-alive" } else { "close" };
        bytes.extend_from_slice(format!("Connection: {connection}\r\n\r\n").as_bytes());
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Whether it is a request whose response has no body, whatever its headers say (RFC 9110, section 9.3.2).
    pub fn is_head(&self) -> bool {
        self.line.starts_with("HEAD ")
    }
}

/// A connection, and the bytes on it that belong to no message yet.
#[derive(Debug)]
pub struct Connection {
    /// The connection itself.
    pub stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    /// A connection on which nothing has come yet.
    pub fn new(stream: TcpStream) -> Connection {
        Connection { stream, received: Vec::new() }
    }

    /// Whether bytes have come that belong to no message yet.
    pub fn has_more(&self) -> bool {
        !self.received.is_empty()
    }

    /// The next request; `None` where the client has closed before its first byte. What has come of it stays here when
    /// the future is dropped.
    ///
    /// # Errors
    /// `InvalidData` for what is no request, or is longer than we take, or has a body without a length; `UnexpectedEof`
    /// for an end in the middle; any error of the connection.
    pub async fn request(&mut self) -> io::Result<Option<Message>> {
        self.message(read_request).await
    }

    /// The response to a request, as [`request`](Connection::request). Interim responses, of the statuses 100 to 199,
    /// are passed over.
    ///
    /// # Errors
    /// As those of `request`.
    pub async fn response(&mut self, to_head: bool) -> io::Result<Option<Message>> {
        loop {
            let response = self.message(|bytes| read_response(bytes, to_head)).await?;
            match response {
                Some(interim) if interim.line.starts_with("HTTP/1.1 1") => {}
                other => return Ok(other),
            }
        }
    }

    async fn message(
        &mut self,
        read_head: impl Fn(&[u8]) -> io::Result<Option<Head>>,
    ) -> io::Result<Option<Message>> {
        loop {
            match read_head(&self.received)? {
                Some(head) if self.received.len() >= head.length + head.body => {
                    let rest = self.received.split_off(head.length + head.body);
                    let whole = std::mem::replace(&mut self.received, rest);
                    let body = whole[head.length..].to_vec();
                    return Ok(Some(Message { body, ..head.message }));
                }
                None if self.received.len() > HEAD_LIMIT => {
                    return Err(wrong("a head is too long"));
                }
                _ => {}
            }
            if self.stream.read_buf(&mut self.received).await? == 0 {
                let is_between = self.received.is_empty();
                return if is_between { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// Sends all of it, in as few packets as it takes.
    ///
    /// # Errors
    /// Those of the connection.
    pub async fn send(&mut self, message: &Message) -> io::Result<()> {
        self.stream.write_all(&message.to_bytes()).await
    }
}

/// A head, as a message that has no body yet.
struct Head {
    message: Message,
    /// How many bytes it takes, empty line included.
    length: usize,
    /// How many bytes of body follow.
    body: usize,
}

fn read_request(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let Some(length) = whole(request.parse(bytes))? else { return Ok(None) };
    let method = request.method.unwrap_or_default();
    let path = request.path.unwrap_or_default();
    let line = format!("{method} {path} HTTP/1.1");
    head(line, request.version, request.headers, length, false).map(Some)
}

fn read_response(bytes: &[u8], to_head: bool) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let Some(length) = whole(response.parse(bytes))? else { return Ok(None) };
    let code = response.code.unwrap_or_default();
    let line = format!("HTTP/1.1 {code} {}", response.reason.unwrap_or_default());
    let has_no_body = to_head || code < 200 || code == 204 || code == 304;
    let head = head(line, response.version, response.headers, length, has_no_body)?;
    let has_length = head.message.headers.iter().any(|(name, _)| is("content-length", name));
    if !has_no_body && !has_length {
        return Err(wrong("a response has no length"));
    }
    Ok(Some(head))
}

fn whole(parsed: Result<httparse::Status<usize>, httparse::Error>) -> io::Result<Option<usize>> {
    match parsed {
        Ok(httparse::Status::Complete(length)) => Ok(Some(length)),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(error) => Err(wrong(&error.to_string())),
    }
}

fn head(
    line: String,
    version: Option<u8>,
    parsed: &[httparse::Header],
    length: usize,
    has_no_body: bool,
) -> io::Result<Head> {
    let mut body = None;
    let mut headers = Vec::new();
    let options = connection_options(parsed);
    let closes = options.iter().any(|option| option.eq_ignore_ascii_case(b"close"));
    let keeps = version == Some(1) && !closes;
    for header in parsed {
        if is("transfer-encoding", header.name) {
            // Two programs that disagree where a body ends read different requests: request smuggling.
            return Err(wrong(
                "a body comes in chunks, and only those with a length are read here",
            ));
        } else if is("content-length", header.name) {
            if body.is_some() {
                return Err(wrong("a body has two lengths"));
            }
            body = Some(decimal(header.value).ok_or_else(|| wrong("a length is no number"))?);
        }
        if !of_one_connection(header.name, &options) {
            headers.push((header.name.to_owned(), header.value.to_vec()));
        }
    }
    let body = if has_no_body { 0 } else { body.unwrap_or(0) };
    if body > BODY_LIMIT {
        return Err(wrong("a body is too long"));
    }
    Ok(Head { message: Message { line, headers, body: Vec::new(), keeps }, length, body })
}

/// What the `Connection` headers name.
fn connection_options<'a>(headers: &[httparse::Header<'a>]) -> Vec<&'a [u8]> {
    let named = headers.iter().filter(|header| is("connection", header.name));
    named
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .collect()
}

/// Whether a header is about the connection on which it comes, so that no proxy passes it on (RFC 9110, section 7.6.1):
/// those that are known for it, and those that `Connection` names. Two it may not name: without them this would be
/// another request.
fn of_one_connection(name: &str, options: &[&[u8]]) -> bool {
    ["connection", "keep-alive", "proxy-connection", "te", "upgrade", "expect"]
        .iter()
        .any(|known| is(known, name))
        || (!is("content-length", name)
            && !is("host", name)
            && options.iter().any(|option| option.eq_ignore_ascii_case(name.as_bytes())))
}

fn is(known: &str, name: &str) -> bool {
    name.eq_ignore_ascii_case(known)
}

/// Digits and nothing else: `+5` is none.
fn decimal(digits: &[u8]) -> Option<usize> {
    let is_fine = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_fine)?.parse().ok()
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
