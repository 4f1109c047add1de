//! [`Response::encode`]: the exact bytes.

use std::time::{Duration, SystemTime};

use crate::common::without_date;
use site::{Method, Request, Response, Status, Version};

fn request(method: Method, version: Version) -> Request {
    Request {
        method,
        path: "/".to_owned(),
        query: None,
        version,
        keep_alive: true,
        has_body: false,
    }
}

#[test]
fn the_exact_bytes() {
    let answer = Response::text(Status::OK, "hi\n");
    let get = request(Method::Get, Version::Http11);
    let start =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n";
    assert_eq!(without_date(&answer.encode(Some(&get), true)), format!("{start}\r\nhi\n"));
    let closed = format!("{start}Connection: close\r\n\r\nhi\n");
    assert_eq!(without_date(&answer.encode(Some(&get), false)), closed);
    assert_eq!(without_date(&answer.encode(None, false)), closed);

    let head = request(Method::Head, Version::Http11);
    assert_eq!(without_date(&answer.encode(Some(&head), true)), format!("{start}\r\n"));

    let old = request(Method::Get, Version::Http10);
    assert_eq!(without_date(&answer.encode(Some(&old), false)), closed);
    let kept = format!("{start}Connection: keep-alive\r\n\r\nhi\n");
    assert_eq!(without_date(&answer.encode(Some(&old), true)), kept);
}

#[test]
fn the_order_of_the_lines() {
    let answer = Response::refusal(Status::METHOD_NOT_ALLOWED).encode(None, false);
    let answer = String::from_utf8(answer).expect("UTF-8");
    let lines: Vec<_> = answer.split("\r\n").collect();
    let names: Vec<_> =
        lines.iter().map(|line| line.split(':').next().unwrap_or_default()).collect();
    assert_eq!(
        names,
        [
            "HTTP/1.1 405 Method Not Allowed",
            "Date",
            "Content-Type",
            "Content-Length",
            "Allow",
            "Connection",
            "",
            "405 Method Not Allowed\n",
        ]
    );
    assert_eq!(lines[4], "Allow: GET, HEAD");
}

#[test]
fn the_date_is_now() {
    let before = SystemTime::now();
    let bytes = Response::refusal(Status::OK).encode(None, false);
    let after = SystemTime::now();
    let text = String::from_utf8(bytes).expect("UTF-8");
    let line = text.split("\r\n").find_map(|line| line.strip_prefix("Date: ")).expect("a date");
    let date = httpdate::parse_http_date(line).expect("an HTTP date");
    // An HTTP date has whole seconds.
    assert!(date + Duration::from_secs(1) >= before && date <= after, "{line}");
}

#[test]
fn every_refusal_says_its_status() {
    for (status, code, reason) in [
        (Status::OK, 200, "OK"),
        (Status::BAD_REQUEST, 400, "Bad Request"),
        (Status::NOT_FOUND, 404, "Not Found"),
        (Status::METHOD_NOT_ALLOWED, 405, "Method Not Allowed"),
        (Status::REQUEST_TIMEOUT, 408, "Request Timeout"),
        (Status::TARGET_TOO_LONG, 414, "URI Too Long"),
        (Status::HEAD_TOO_LARGE, 431, "Request Header Fields Too Large"),
        (Status::INTERNAL_ERROR, 500, "Internal Server Error"),
        (Status::UNAVAILABLE, 503, "Service Unavailable"),
        (Status::VERSION_NOT_SUPPORTED, 505, "HTTP Version Not Supported"),
    ] {
        let bytes = Response::refusal(status).encode(None, false);
        let text = without_date(&bytes);
        assert!(text.starts_with(&format!("HTTP/1.1 {code} {reason}\r\n")), "{text}");
        let body = format!("{code} {reason}\n");
        assert!(text.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{text}");
        assert!(text.ends_with(&format!("\r\n\r\n{body}")), "{text}");
        assert_eq!(text.contains("\r\nAllow:"), code == 405, "{text}");
    }
}

#[test]
fn a_length_counts_bytes_and_not_characters() {
    let text = without_date(&Response::text(Status::OK, "h\u{e9}\u{1f980}").encode(None, false));
    assert!(text.contains("\r\nContent-Length: 7\r\n"), "{text}");
    let any_bytes =
        Response { status: Status::OK, content_type: "image/png", body: vec![0, 13, 10, 255] };
    let bytes = any_bytes.encode(None, false);
    assert!(bytes.ends_with(b"\r\n\r\n\x00\r\n\xff"));
    assert!(String::from_utf8_lossy(&bytes).contains("\r\nContent-Length: 4\r\n"));
}
