//! [`parse`]: which heads are whole, which are refused, and with what.

use site::{HEAD_LIMIT, Method, Parsed, Request, Status, Version, parse};

/// A `GET` of `/` in HTTP/1.1, to be changed where a test's head differs.
fn get() -> Request {
    Request {
        method: Method::Get,
        path: "/".to_owned(),
        query: None,
        version: Version::Http11,
        keep_alive: true,
        has_body: false,
    }
}

fn path(path: &str) -> Request {
    Request { path: path.to_owned(), ..get() }
}

fn path_and_query(path: &str, query: &str) -> Request {
    Request { path: path.to_owned(), query: Some(query.to_owned()), ..get() }
}

/// Asserts that `head` is whole and means `request`, whatever follows it.
#[track_caller]
fn accepted(head: &str, request: Request) {
    let outcome = Parsed::Request { request, length: head.len() };
    assert_eq!(parse(head.as_bytes()), outcome, "{head:?}");
    for more in ["GET / HTTP/1.1\r\n", "\n", "\0\u{ff}", "\r\n\r\n"] {
        assert_eq!(parse(format!("{head}{more}").as_bytes()), outcome, "{head:?} and {more:?}");
    }
    for cut in 0..head.len() {
        assert_eq!(parse(&head.as_bytes()[..cut]), Parsed::NeedMore, "{:?}", &head[..cut]);
    }
}

/// Asserts that `head` is refused with `status`, and that nothing else becomes of it on the way there.
#[track_caller]
fn refused(head: impl AsRef<[u8]>, status: Status) {
    let head = head.as_ref();
    let shown = String::from_utf8_lossy(&head[..head.len().min(200)]);
    assert_eq!(parse(head), Parsed::Refused(status), "{shown:?}");
    // Every place near the end of a long head, and some of those before.
    let step = (head.len() / 500).max(1);
    for cut in (0..head.len()).filter(|cut| cut % step == 0 || head.len() - cut < 150) {
        let outcome = parse(&head[..cut]);
        assert!(
            matches!(outcome, Parsed::NeedMore) || outcome == Parsed::Refused(status),
            "{outcome:?} after {cut} bytes of {shown:?}"
        );
    }
}

/// Asserts that `head` alone is no reason to answer yet.
#[track_caller]
fn unfinished(head: impl AsRef<[u8]>) {
    let head = head.as_ref();
    for cut in 0..=head.len() {
        assert_eq!(parse(&head[..cut]), Parsed::NeedMore, "{:?}", head[..cut].escape_ascii());
    }
}

#[test]
fn methods() {
    let head = |method: &str| format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
    accepted(&head("GET"), get());
    accepted(&head("HEAD"), Request { method: Method::Head, ..get() });
    let other = Request { method: Method::Other, ..get() };
    // Methods are case-sensitive (RFC 9110, section 9.1), and any token is one.
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "get", "Head", "X", "!#$%&'*+-.^_`|~"]
    {
        accepted(&head(method), other.clone());
    }
    for method in ["", " GET", "G\u{e9}T", "G\0T", "GET\t", "G(T"] {
        refused(head(method), Status::BAD_REQUEST);
    }
}

#[test]
fn targets_in_origin_form() {
    let head = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
    accepted(&head("/sleep"), path("/sleep"));
    accepted(&head("/a/b/../c"), path("/a/b/../c"));
    accepted(&head("//"), path("//"));
    accepted(&head("/%73leep"), path("/%73leep"));
    accepted(&head("/sleep?ms=5"), path_and_query("/sleep", "ms=5"));
    accepted(&head("/sleep?"), path_and_query("/sleep", ""));
    accepted(&head("/?a?b&c=/"), path_and_query("/", "a?b&c=/"));
    accepted(&head("/?http://b/"), path_and_query("/", "http://b/"));
}

#[test]
fn targets_in_absolute_form() {
    // A server must accept them from any client (RFC 9112, section 3.2.2).
    let head = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
    accepted(&head("http://127.0.0.1:8080/sleep?ms=5"), path_and_query("/sleep", "ms=5"));
    accepted(&head("HTTP://a/file"), path("/file"));
    accepted(&head("http://a"), path("/"));
    accepted(&head("http://a?ms=5"), path_and_query("/", "ms=5"));
    accepted(&head("http://[::1]:80/"), path("/"));
    for target in [
        "http://",
        "http:///",
        "http://?a",
        "http://:80/",
        "http://a:b/",
        "http://a:80:80/",
        "http:/a",
        "http:a",
        "http",
        "http://a\\b/",
    ] {
        refused(head(target), Status::BAD_REQUEST);
    }
    for target in ["https://a/", "ftp://a/", "file:///etc/passwd"] {
        refused(head(target), Status::BAD_REQUEST);
    }
}

#[test]
fn a_fragment_is_never_sent() {
    for target in ["/#", "/#top", "/sleep#?ms=5", "/sleep?ms=5#", "http://a#b", "http://a/#b", "#"]
    {
        refused(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"), Status::BAD_REQUEST);
    }
}

#[test]
fn a_target_is_ascii() {
    for target in ["/caf\u{e9}", "/?q=\u{e9}", "http://a/\u{e9}", "\u{e9}"] {
        refused(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"), Status::BAD_REQUEST);
    }
    // Bytes that are no UTF-8 either: a second way to write `/`.
    refused(b"GET /\xc0\xaf HTTP/1.1\r\nHost: a\r\n\r\n", Status::BAD_REQUEST);
}

#[test]
fn targets_in_other_forms() {
    let asterisk = Request { method: Method::Other, path: "*".to_owned(), ..get() };
    accepted("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", asterisk);
    for line in [
        "GET * HTTP/1.1",
        "HEAD * HTTP/1.1",
        "CONNECT a:80 HTTP/1.1",
        "GET sleep HTTP/1.1",
        "GET ?ms=5 HTTP/1.1",
        "GET /a b HTTP/1.1",
        "GET  / HTTP/1.1",
        "GET /\0 HTTP/1.1",
        "GET\t/ HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET /  HTTP/1.1",
        "GET / HTTP/1.1\t",
    ] {
        refused(format!("{line}\r\nHost: a\r\n\r\n"), Status::BAD_REQUEST);
    }
}

#[test]
fn versions() {
    accepted("GET / HTTP/1.1\r\nHost: a\r\n\r\n", get());
    let old = Request { version: Version::Http10, keep_alive: false, ..get() };
    accepted("GET / HTTP/1.0\r\n\r\n", old.clone());
    accepted("GET / HTTP/1.0\r\nHost: a\r\n\r\n", old);
    for version in ["HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9"] {
        refused(format!("GET / {version}\r\nHost: a\r\n\r\n"), Status::VERSION_NOT_SUPPORTED);
    }
    // What HTTP/2 clients send first, before they know better (RFC 9113, section 3.4).
    refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Status::VERSION_NOT_SUPPORTED);
    for version in
        ["http/1.1", "HTTP/1", "HTTP/1.", "HTTP/11", "HTTP/1.10", "HTTP/1,1", "HTTP/2", "XTTP/1.1"]
    {
        refused(format!("GET / {version}\r\nHost: a\r\n\r\n"), Status::BAD_REQUEST);
    }
    refused("GET / HTTP/1.1x\r\nHost: a\r\n\r\n", Status::BAD_REQUEST);
    // HTTP/0.9 knew neither versions nor header lines.
    refused("GET /\r\n", Status::BAD_REQUEST);
}

#[test]
fn hosts() {
    let head = |lines: &str| format!("GET / HTTP/1.1\r\n{lines}\r\n");
    for host in ["a", "127.0.0.1:8080", "[::1]:80", "[::1]", "a:", "%41", "a-b_c.d~", "A"] {
        accepted(&head(&format!("Host: {host}\r\n")), get());
    }
    accepted(&head("hOsT:a\r\n"), get());
    accepted(&head("Host:\ta\t\r\n"), get());
    for lines in [
        "",
        "Accept: */*\r\n",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nAccept: */*\r\nhost: b\r\n",
        "Host:\r\n",
        "Host:   \r\n",
        "Host: :80\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n",
        "Host: http://a\r\n",
        "Host: a, b\r\n",
        "Host: a@b\r\n",
        "Host: a:x\r\n",
        "Host: a:80:80\r\n",
        "Host: ::1\r\n",
        "Host: [::1\r\n",
        "Host: []\r\n",
        "Host: [[::\r\n",
        "Host: [::1]80\r\n",
        "Host: a]\r\n",
        "Host: \"a\"\r\n",
        "Host: \u{e9}\r\n",
    ] {
        refused(head(lines), Status::BAD_REQUEST);
    }
    refused("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", Status::BAD_REQUEST);
    refused("GET / HTTP/1.0\r\nHost: a b\r\n\r\n", Status::BAD_REQUEST);
    refused("GET / HTTP/1.0\r\nHost:\r\n\r\n", Status::BAD_REQUEST);
    // The target's authority does not replace the line (RFC 9112, section 3.2).
    refused("GET http://a/ HTTP/1.1\r\n\r\n", Status::BAD_REQUEST);
}

#[test]
fn header_lines() {
    let head = |line: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n");
    for line in ["X:", "X: ", "X: y", "X: y z\t", "X: \u{e9}", "X-!#$%&'*+.^_`|~1: y", "X: a:b"] {
        accepted(&head(line), get());
    }
    for line in [
        "X : y",
        "X\t: y",
        " X: y",
        "X: y\r\n folded",
        "X: y\r\n\tfolded",
        "X",
        ": y",
        "X y: z",
        "X: \0",
        "X: \u{1}",
        "X: \u{7f}",
        "X: y\rz",
        "\u{e9}: y",
    ] {
        refused(head(line), Status::BAD_REQUEST);
    }
    refused("GET / HTTP/1.1\r\n Host: a\r\n\r\n", Status::BAD_REQUEST);
}

#[test]
fn line_ends() {
    for head in [
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\n",
        "GET\n / HTTP/1.1\r\n\r\n",
        "GET / HTTP/2.0\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\r",
        "\r\r\n",
    ] {
        refused(head, Status::BAD_REQUEST);
    }
    // A server should overlook an empty line before a request (RFC 9112, section 2.2).
    for empty in ["\r\n", "\r\n\r\n\r\n"] {
        accepted(&format!("{empty}GET / HTTP/1.1\r\nHost: a\r\n\r\n"), get());
        refused(format!("{empty}GET / HTTP/2.0\r\n\r\n"), Status::VERSION_NOT_SUPPORTED);
    }
}

#[test]
fn bodies() {
    let head = |lines: &str| format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n");
    let post = Request { method: Method::Other, ..get() };
    for lines in ["", "Content-Length: 0\r\n", "Content-Length: 000\r\n"] {
        accepted(&head(lines), post.clone());
    }
    let with_body = Request { has_body: true, ..post };
    for lines in [
        "Content-Length: 5\r\n",
        "content-length:5\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 05\r\n",
        "Content-Length: 18446744073709551615\r\n",
        "Transfer-Encoding: chunked\r\n",
        "transfer-encoding: gzip, chunked\r\n",
    ] {
        accepted(&head(lines), with_body.clone());
    }
    for lines in [
        "Content-Length:\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 0\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding:\r\n",
    ] {
        refused(head(lines), Status::BAD_REQUEST);
    }
    refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Status::BAD_REQUEST);
    // A body has no meaning in a GET, but it may be there even so (RFC 9110, section 9.3.1).
    accepted(
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
        Request { has_body: true, ..get() },
    );
}

#[test]
fn persistence() {
    let head = |version: &str, lines: &str| format!("GET / {version}\r\nHost: a\r\n{lines}\r\n");
    for (version, lines, keep_alive) in [
        ("HTTP/1.1", "", true),
        ("HTTP/1.1", "Connection: keep-alive\r\n", true),
        ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "connection:CLOSE\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.1", "Connection: upgrade ,\tclose\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
        ("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.1", "Connection: closed\r\n", true),
        ("HTTP/1.1", "Connection:\r\n", true),
        ("HTTP/1.1", "Proxy-Connection: close\r\n", true),
        ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: keep-alive\r\n", true),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: foo,keep-alive\r\n", true),
        ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.0", "Connection: close\r\n", false),
    ] {
        let version_sent = if version == "HTTP/1.0" { Version::Http10 } else { Version::Http11 };
        accepted(&head(version, lines), Request { keep_alive, version: version_sent, ..get() });
    }
}

#[test]
fn nothing_and_beginnings() {
    for head in [
        "",
        "\r",
        "\r\n",
        "G",
        "GET / HTTP/1.",
        "GET / HTTP/2.0",
        "GET / nonsense",
        "GET / HTTP/1.1\r\nHost: a\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
    ] {
        unfinished(head);
    }
}

#[test]
fn garbage() {
    for bytes in [
        &b"\0"[..],
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"\xff\xfe",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"{\"json\": true}\r\n\r\n",
        b"GET\r\n\r\n",
        b" \r\n\r\n",
        b"GET / \r\n\r\n",
    ] {
        refused(bytes, Status::BAD_REQUEST);
    }
}

/// A head of exactly `length` bytes.
fn head_of(length: usize) -> String {
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
}

#[test]
fn a_head_as_long_as_the_limit() {
    let longest = head_of(HEAD_LIMIT);
    let whole = Parsed::Request { request: get(), length: HEAD_LIMIT };
    assert_eq!(parse(longest.as_bytes()), whole);
    assert_eq!(parse(format!("{longest}GET /").as_bytes()), whole);
    assert_eq!(parse(&longest.as_bytes()[..HEAD_LIMIT - 1]), Parsed::NeedMore);

    let too_long = Parsed::Refused(Status::HEAD_TOO_LARGE);
    assert_eq!(parse(head_of(HEAD_LIMIT + 1).as_bytes()), too_long);
    assert_eq!(parse(&head_of(HEAD_LIMIT + 1).as_bytes()[..HEAD_LIMIT]), too_long);
    // Not even the request line ends, or nothing but empty lines comes.
    for piece in ["G", "\r\n"] {
        let filler = piece.repeat(HEAD_LIMIT / piece.len());
        assert_eq!(parse(filler.as_bytes()), too_long, "{piece:?}");
        assert_eq!(parse(&filler.as_bytes()[..HEAD_LIMIT - 1]), Parsed::NeedMore, "{piece:?}");
    }
    let no_version = format!("GET / {}", "x".repeat(HEAD_LIMIT));
    assert_eq!(parse(no_version.as_bytes()), too_long);
    // What follows the limit changes nothing.
    let bare_lf_behind = format!("{}\n", head_of(HEAD_LIMIT + 1));
    assert_eq!(parse(bare_lf_behind.as_bytes()), too_long);
}

#[test]
fn a_target_longer_than_the_limit() {
    for start in ["GET /", "HEAD http://a/?", "BREW *", "\r\n\r\nGET /"] {
        let head = format!("{start}{}", "x".repeat(HEAD_LIMIT));
        refused(&head, Status::TARGET_TOO_LONG);
        assert_eq!(parse(&head.as_bytes()[..HEAD_LIMIT - 1]), Parsed::NeedMore, "{start:?}");
    }
    // The target ends in time, and something else is too long.
    let target = "x".repeat(HEAD_LIMIT - 100);
    for rest in [" HTTP/1.1\r\nHost: a\r\nX: ", " "] {
        let head = format!("GET /{target}{rest}{}", "y".repeat(100));
        refused(head, Status::HEAD_TOO_LARGE);
    }
}

#[test]
fn as_many_header_lines_as_allowed() {
    let head =
        |lines: usize| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(lines - 1));
    accepted(&head(100), get());
    refused(head(101), Status::HEAD_TOO_LARGE);
    refused(head(1000), Status::HEAD_TOO_LARGE);
}

#[test]
fn every_single_byte_and_pair_of_bytes_has_an_outcome() {
    for first in 0..=u8::MAX {
        let _ = parse(&[first]);
        for second in 0..=u8::MAX {
            let _ = parse(&[first, second]);
        }
    }
}
