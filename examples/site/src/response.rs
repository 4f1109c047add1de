//! From an answer to bytes: status line, header lines, body.

use std::{fmt::Display, io, time::SystemTime};

use crate::{Method, Request, Version, accept::is_out_of_descriptors};

/// A status code with its reason phrase (RFC 9110, section 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The three digits.
    pub code: u16,
    /// The words for people.
    pub reason: &'static str,
}

impl Status {
    /// The request succeeded.
    pub const OK: Status = Status::new(200, "OK");
    /// The bytes are no request that RFC 9112 allows, or a parameter makes no sense.
    pub const BAD_REQUEST: Status = Status::new(400, "Bad Request");
    /// The site has no such page.
    pub const NOT_FOUND: Status = Status::new(404, "Not Found");
    /// The page exists, but answers only `GET` and `HEAD`.
    pub const METHOD_NOT_ALLOWED: Status = Status::new(405, "Method Not Allowed");
    /// The head did not arrive in time.
    pub const REQUEST_TIMEOUT: Status = Status::new(408, "Request Timeout");
    /// The request target is too long (RFC 9110, section 15.5.15).
    pub const TARGET_TOO_LONG: Status = Status::new(414, "URI Too Long");
    /// The head is too long (RFC 6585, section 5).
    pub const HEAD_TOO_LARGE: Status = Status::new(431, "Request Header Fields Too Large");
    /// The server could not do its work.
    pub const INTERNAL_ERROR: Status = Status::new(500, "Internal Server Error");
    /// The server has nothing left for this client: no thread, no descriptor, no permit.
    pub const UNAVAILABLE: Status = Status::new(503, "Service Unavailable");
    /// The client speaks a version unknown to us.
    pub const VERSION_NOT_SUPPORTED: Status = Status::new(505, "HTTP Version Not Supported");

    const fn new(code: u16, reason: &'static str) -> Status {
        Status { code, reason }
    }
}

/// The value of `Allow`, which a 405 has to have (RFC 9110, section 15.5.6).
pub const ALLOW: &str = "GET, HEAD";

/// The value of `Retry-After`, in seconds, in a 503 (RFC 9110, section 10.2.3): what the server lacks, others give back.
const RETRY_AFTER: u64 = 1;

/// An answer, before it is bytes.
#[must_use = "the client waits for this answer"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status line's code and reason.
    pub status: Status,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The body; its length becomes `Content-Length`.
    pub body: Vec<u8>,
}

impl Response {
    /// A page of plain text.
    pub fn text(status: Status, body: impl Into<String>) -> Response {
        let content_type = "text/plain; charset=utf-8";
        Response { status, content_type, body: body.into().into_bytes() }
    }

    /// A page of HTML.
    pub fn html(body: impl Into<Vec<u8>>) -> Response {
        let content_type = "text/html; charset=utf-8";
        Response { status: Status::OK, content_type, body: body.into() }
    }

    /// JSON.
    pub fn json(body: impl Into<Vec<u8>>) -> Response {
        Response { status: Status::OK, content_type: "application/json", body: body.into() }
    }

    /// The answer to a request that is refused: its status in words.
    pub fn refusal(status: Status) -> Response {
        Response::text(status, format!("{} {}\n", status.code, status.reason))
    }

    /// The answer where a parameter makes no sense.
    pub fn bad_request(complaint: impl Display) -> Response {
        Response::explained(Status::BAD_REQUEST, complaint)
    }

    /// The answer where there is no such page.
    pub fn not_found() -> Response {
        let pages = "this site has the pages /, /sleep, /tenth, /file and /work.";
        Response::explained(Status::NOT_FOUND, pages)
    }

    /// The answer to another method than `GET` and `HEAD`. Its header names them: [`ALLOW`].
    pub fn method_not_allowed() -> Response {
        Response::explained(Status::METHOD_NOT_ALLOWED, "this site answers GET and HEAD.")
    }

    /// The answer where a file can't be read: a 500, and a 503 where only a descriptor is missing, which other
    /// connections will give back.
    pub fn unreadable(error: &io::Error) -> Response {
        if !is_out_of_descriptors(error) {
            return Response::refusal(Status::INTERNAL_ERROR);
        }
        let why = "every file that this server may open is open. Try again in a few seconds.";
        Response::unavailable(why)
    }

    /// The answer where the server can't do this now, and why.
    pub fn unavailable(why: impl Display) -> Response {
        Response::explained(Status::UNAVAILABLE, why)
    }

    fn explained(status: Status, why: impl Display) -> Response {
        Response::text(status, format!("{} {}: {why}\n", status.code, status.reason))
    }

    /// The bytes to send (RFC 9112, section 2.1).
    ///
    /// `request` is the request that is answered, or `None` where none could be
    /// read. `keep_alive`: the connection stays open afterwards.
    #[must_use = "the client waits for these bytes"]
    pub fn encode(&self, request: Option<&Request>, keep_alive: bool) -> Vec<u8> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
            self.status.code,
            self.status.reason,
            httpdate::fmt_http_date(SystemTime::now()),
            self.content_type,
            self.body.len(),
        );
        if self.status == Status::METHOD_NOT_ALLOWED {
            head += &format!("Allow: {ALLOW}\r\n");
        }
        if self.status == Status::UNAVAILABLE {
            head += &format!("Retry-After: {RETRY_AFTER}\r\n");
        }
        // A 1.1 client takes an open connection for granted; a 1.0 client waits for these words.
        if !keep_alive {
            head += "Connection: close\r\n";
        } else if request.is_some_and(|request| request.version == Version::Http10) {
            head += "Connection: keep-alive\r\n";
        }
        head += "\r\n";

        let mut bytes = head.into_bytes();
        // The answer to HEAD gives the length of the body, and leaves the body out.
        if !request.is_some_and(|request| request.method == Method::Head) {
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }
}
