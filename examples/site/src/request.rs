//! From bytes to a request: the head of an HTTP/1.x message, as RFC 9112 defines it.

use crate::{HEAD_LIMIT, Status};

/// More header lines than this in one head get a 431.
const MAX_HEADERS: usize = 100;

/// A request method (RFC 9110, section 9). The site tells only three kinds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`: send the body.
    Get,
    /// `HEAD`: the same answer without its body (RFC 9110, section 9.3.2).
    Head,
    /// Any other token.
    Other,
}

/// An HTTP version (RFC 9112, section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0: a connection carries one request unless both sides say otherwise.
    Http10,
    /// HTTP/1.1: a connection stays open unless one side says `Connection: close`.
    Http11,
}

/// The head of a request, without anything the site does not use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path of the request target, as it was sent; `*` for the asterisk-form.
    pub path: String,
    /// What follows the first `?` of the target, if there is one.
    pub query: Option<String>,
    /// The version that the client speaks.
    pub version: Version,
    /// Whether the client lets the connection stay open (RFC 9112, section 9.3).
    pub keep_alive: bool,
    /// Whether a body follows the head (RFC 9112, section 6).
    pub has_body: bool,
}

/// What a run of bytes turned out to be.
#[must_use = "it has the request, or why there is none"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// The start of a request; read more and parse again.
    NeedMore,
    /// A whole head.
    Request {
        /// What the head says.
        request: Request,
        /// How many bytes the head took, empty line included.
        length: usize,
    },
    /// Not a request that this site answers; give the reason, and close.
    Refused(Status),
}

/// Parses the request head at the start of `bytes`.
///
/// However the same bytes are cut into packets, the outcome is the same. No
/// input panics. What is refused, and the status of each refusal:
///
/// | input | status | RFC 9112 |
/// |---|---|---|
/// | a head longer than [`HEAD_LIMIT`], or more than 100 header lines | 431 | RFC 6585, section 5 |
/// | a target that has not ended at [`HEAD_LIMIT`] | 414 | section 3 |
/// | a version other than 1.0 and 1.1 | 505 | section 2.3 |
/// | no `Host` in 1.1, two of them, or an empty or malformed one | 400 | section 3.2 |
/// | a space before the colon, a folded line, a line that ends without CR | 400 | sections 5.1, 5.2, 2.2 |
/// | contradicting or malformed `Content-Length`; `Transfer-Encoding` next to it, or in 1.0 | 400 | sections 6.1, 6.3 |
/// | a `Transfer-Encoding` that does not end with `chunked` | 400 | section 6.3 |
/// | a target that is neither a path, nor an `http` URL, nor `*`, or has a `#` or a byte outside ASCII | 400 | section 3.2 |
pub fn parse(bytes: &[u8]) -> Parsed {
    let head = &bytes[..bytes.len().min(HEAD_LIMIT)];

    // httparse takes a bare LF for the end of a line, as section 2.2 allows. We do not: servers and
    // proxies that disagree about line ends can be made to see different requests. Therefore httparse sees
    // only the bytes before the first bare LF, and if the head is not whole by then, it never will be.
    let bare_lf =
        (0..head.len()).find(|&at| head[at] == b'\n' && (at == 0 || head[at - 1] != b'\r'));
    let clean = &head[..bare_lf.unwrap_or(head.len())];
    let unfinished = if bare_lf.is_some() {
        Parsed::Refused(Status::BAD_REQUEST)
    } else if head.len() == HEAD_LIMIT {
        Parsed::Refused(too_large(head))
    } else {
        Parsed::NeedMore
    };

    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(clean) {
        Ok(httparse::Status::Complete(length)) => match read_head(&parsed) {
            Ok(request) => Parsed::Request { request, length },
            Err(status) => Parsed::Refused(status),
        },
        Ok(httparse::Status::Partial) => unfinished,
        Err(httparse::Error::TooManyHeaders) => Parsed::Refused(Status::HEAD_TOO_LARGE),
        // httparse complains at the first wrong byte. Whether the word is a version
        // can be told only at the end of its line, however the bytes are cut.
        Err(httparse::Error::Version) => judge_version(clean).map_or(unfinished, Parsed::Refused),
        Err(_) => Parsed::Refused(Status::BAD_REQUEST),
    }
}

/// Tells a head whose target is too long (414) from one that is too long for another reason (431).
fn too_large(head: &[u8]) -> Status {
    let line = head.trim_ascii_start();
    // One space: the method has ended, the target has not.
    let in_target =
        !line.contains(&b'\r') && line.iter().filter(|&&byte| byte == b' ').count() == 1;
    if in_target { Status::TARGET_TOO_LONG } else { Status::HEAD_TOO_LARGE }
}

/// Tells an unknown version (505) from a word that isn't a version at all (400);
/// `None` while the request line has not ended.
fn judge_version(head: &[u8]) -> Option<Status> {
    let head = head.trim_ascii_start();
    let line = &head[..head.iter().position(|&byte| byte == b'\r')?];
    let version = line.splitn(3, |&byte| byte == b' ').nth(2).unwrap_or_default();
    Some(match version {
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
            if major.is_ascii_digit() && minor.is_ascii_digit() =>
        {
            Status::VERSION_NOT_SUPPORTED
        }
        _ => Status::BAD_REQUEST,
    })
}

/// Checks what httparse leaves to its caller; keeps what the site uses.
fn read_head(parsed: &httparse::Request) -> Result<Request, Status> {
    let version = match parsed.version {
        Some(0) => Version::Http10,
        _ => Version::Http11,
    };
    let method = match parsed.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        _ => Method::Other,
    };
    let (path, query) = split_target(parsed.path.unwrap_or_default(), method)?;

    let mut hosts = 0;
    let mut content_length: Option<u64> = None;
    let mut last_coding: Option<&[u8]> = None;
    let mut close = false;
    let mut keep_alive = false;
    for header in parsed.headers.iter() {
        let value = header.value.trim_ascii();
        if header.name.eq_ignore_ascii_case("host") {
            hosts += 1;
            if !is_authority(value) {
                return Err(Status::BAD_REQUEST);
            }
        } else if header.name.eq_ignore_ascii_case("content-length") {
            // A list of equal lengths may be taken as one (section 6.3); a plain refusal is simpler, and allowed.
            let length = decimal(value).ok_or(Status::BAD_REQUEST)?;
            if content_length.is_some_and(|other| other != length) {
                return Err(Status::BAD_REQUEST);
            }
            content_length = Some(length);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            last_coding = value.rsplit(|&byte| byte == b',').next().map(<[u8]>::trim_ascii);
        } else if header.name.eq_ignore_ascii_case("connection") {
            for option in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                close |= option.eq_ignore_ascii_case(b"close");
                keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
            }
        }
    }

    if hosts > 1 || (hosts == 0 && version == Version::Http11) {
        return Err(Status::BAD_REQUEST);
    }
    if let Some(coding) = last_coding {
        // Only `chunked` marks the end of a body, so it has to come last.
        let chunked = coding.eq_ignore_ascii_case(b"chunked");
        if !chunked || content_length.is_some() || version == Version::Http10 {
            return Err(Status::BAD_REQUEST);
        }
    }
    Ok(Request {
        method,
        path,
        query,
        version,
        keep_alive: !close && (keep_alive || version == Version::Http11),
        has_body: last_coding.is_some() || content_length.is_some_and(|length| length > 0),
    })
}

/// Splits a target into path and query: origin-form, absolute-form or asterisk-form (RFC 9112, section 3.2).
fn split_target(target: &str, method: Method) -> Result<(String, Option<String>), Status> {
    // A fragment is the client's own and never sent (RFC 9112, section 3.2), and a letter outside ASCII is sent with
    // `%` (RFC 3986, section 2.1). Programs that read such a target in different ways would see different pages.
    if target.contains('#') || !target.is_ascii() {
        return Err(Status::BAD_REQUEST);
    }
    let origin = if target.starts_with('/') {
        target
    } else if target == "*" && method == Method::Other {
        return Ok(("*".to_owned(), None));
    } else {
        let scheme = "http://";
        let has_scheme =
            target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if !has_scheme {
            return Err(Status::BAD_REQUEST);
        }
        let rest = &target[scheme.len()..];
        let authority = rest.find(['/', '?']).unwrap_or(rest.len());
        let host = &rest.as_bytes()[..authority];
        if !is_authority(host) {
            return Err(Status::BAD_REQUEST);
        }
        &rest[authority..]
    };
    let (path, query) = match origin.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (origin, None),
    };
    let path = if path.is_empty() { "/" } else { path };
    Ok((path.to_owned(), query))
}

/// Whether this is a host with or without a port: `uri-host [ ":" port ]` (RFC 9110, section 7.2). The host can't
/// be empty, because an `http` URL without one is invalid (section 4.2.1).
///
/// An address in brackets may hold colons, a name can't (RFC 3986, section 3.2.2). A comma, which that
/// section allows in a name, is refused: it may come between two `Host` lines that a proxy has joined.
fn is_authority(text: &[u8]) -> bool {
    let name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+;=".contains(byte);
    let (host_is_fine, port) = match text.strip_prefix(b"[") {
        Some(rest) => {
            let end = rest.iter().position(|&byte| byte == b']').unwrap_or(rest.len());
            let address = &rest[..end];
            let fine = !address.is_empty() && address.iter().all(|b| *b == b':' || name_byte(b));
            (fine && end < rest.len(), rest.get(end + 1..).unwrap_or_default())
        }
        None => {
            let end = text.iter().position(|&byte| byte == b':').unwrap_or(text.len());
            (end > 0 && text[..end].iter().all(name_byte), &text[end..])
        }
    };
    let port_is_fine = match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    host_is_fine && port_is_fine
}

/// A run of decimal digits and nothing else: `"+5"`, `"5 "` and `""` are none.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}
