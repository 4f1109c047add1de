//! HTTP, as far as this service speaks it: one request on a connection. It works on bytes, and knows neither sockets nor
//! threads nor tasks, so it is the same file at every stop.

use std::sync::Arc;
use std::time::SystemTime;

use httparse::{EMPTY_HEADER, Error, Header, Status};

/// The body of a page, or the status with which a request is refused.
pub type Answer = Result<Arc<str>, &'static str>;

/// The longest head, in bytes.
const HEAD_LIMIT: usize = 16 * 1024;

/// How many lines a head may have.
const LINES: usize = 100;

/// What a refusal says that has no better word.
const BAD: &str = "400 Bad Request";

/// Whether the empty line has come that ends a head.
///
/// # Errors
/// With the status of the refusal, where the head is too long.
pub fn is_whole(head: &[u8]) -> Result<bool, &'static str> {
    let end = head.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
    match end {
        Some(end) if end <= HEAD_LIMIT => Ok(true),
        None if head.len() <= HEAD_LIMIT => Ok(false),
        _ if head[..HEAD_LIMIT].contains(&b'\n') => Err("431 Request Header Fields Too Large"),
        _ => Err("414 URI Too Long"),
    }
}

/// The path that a whole head asks for.
///
/// # Errors
/// With the status of the refusal, where the head asks for no page of any server, or not in a way that we know.
pub fn path(head: &[u8]) -> Result<&str, &'static str> {
    let mut headers = [EMPTY_HEADER; LINES];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(Status::Complete(_)) => {}
        Err(Error::TooManyHeaders) => return Err("431 Request Header Fields Too Large"),
        Err(Error::Version) if names_a_version(head) => {
            return Err("505 HTTP Version Not Supported");
        }
        Ok(Status::Partial) | Err(_) => return Err(BAD),
    }
    let is_old = request.version == Some(0);
    if !has_one_host(request.headers, is_old) || !has_a_clear_end(request.headers, is_old) {
        return Err(BAD);
    }
    let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    // OPTIONS may ask about the whole server.
    let path = if method == "OPTIONS" && target == "*" { target } else { path_of(target)? };
    if ["GET", "HEAD"].contains(&method) { Ok(path) } else { Err("405 Method Not Allowed") }
}

/// The values of the header lines with this name.
fn values<'a>(headers: &'a [Header<'a>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    headers.iter().filter(|it| it.name.eq_ignore_ascii_case(name)).map(|it| it.value)
}

/// HTTP/1.0 knows no `Host`; from 1.1 on there is one (RFC 9112, section 3.2).
fn has_one_host(headers: &[Header<'_>], is_old: bool) -> bool {
    let hosts: Vec<&[u8]> = values(headers, "Host").collect();
    match hosts[..] {
        [] => is_old,
        [host] => is_host(host),
        _ => false,
    }
}

/// Whether it can be told where the body ends, if there is one (RFC 9112, section 6.3).
fn has_a_clear_end(headers: &[Header<'_>], is_old: bool) -> bool {
    let lengths: Vec<&[u8]> = values(headers, "Content-Length").collect();
    let is_chunked = values(headers, "Transfer-Encoding").next().is_some();
    let is_number = |length: &[u8]| {
        length.iter().all(u8::is_ascii_digit)
            && str::from_utf8(length).is_ok_and(|it| it.parse::<u64>().is_ok())
    };
    match lengths[..] {
        [] => !(is_chunked && is_old),
        [first, ..] => {
            !is_chunked && is_number(first) && lengths.iter().all(|length| *length == first)
        }
    }
}

/// The path in a target, which may be a whole URL (RFC 9112, section 3.2.2). The query is not our business.
fn path_of(target: &str) -> Result<&str, &'static str> {
    let is_url = target.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
    let mut path = target;
    if is_url {
        let rest = &target[7..];
        let (host, behind) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if !is_host(host.as_bytes()) {
            return Err(BAD);
        }
        path = if behind.starts_with('/') { behind } else { "/" };
    }
    let is_visible = target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    if !is_visible || !path.starts_with('/') {
        return Err(BAD);
    }
    Ok(path.split('?').next().unwrap_or(path))
}

/// Whether this may be a name or an address, with a port or without: a service with one site needs no more of it.
fn is_host(host: &[u8]) -> bool {
    let (name, port) = match host.iter().rposition(|byte| *byte == b':') {
        // The colons of an address of IPv6 are in brackets.
        Some(at) if !host.ends_with(b"]") => (&host[..at], &host[at + 1..]),
        _ => (host, &b""[..]),
    };
    let is_address = name.starts_with(b"[") && name.ends_with(b"]");
    let may_be_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(byte);
    let is_name = !name.is_empty() && name.iter().all(may_be_in_name);
    (is_address || is_name) && port.iter().all(u8::is_ascii_digit)
}

/// Whether the first line has three words, and the last is a version of HTTP, if not one of ours: `HTTP/2.0`.
fn names_a_version(head: &[u8]) -> bool {
    let line = head.trim_ascii_start().split(|byte| *byte == b'\r').next().unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let [_method, _target, version] = words[..] else { return false };
    let number = version.strip_prefix(b"HTTP/").unwrap_or_default();
    matches!(number, [major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
}

/// The bytes of the response to this head. To `HEAD` it has no body. A refusal says its status to a person, too.
pub fn response(head: &[u8], answer: &Answer) -> Vec<u8> {
    let (status, body) = match answer {
        Ok(body) => ("200 OK", Arc::clone(body)),
        Err(status) => (*status, format!("{status}\n").into()),
    };
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let date = httpdate::fmt_http_date(SystemTime::now());
    let mut response = format!(
        "HTTP/1.1 {status}\r\nDate: {date}\r\n{allow}Content-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    if !head.trim_ascii_start().starts_with(b"HEAD ") {
        response.push_str(&body);
    }
    response.into_bytes()
}
