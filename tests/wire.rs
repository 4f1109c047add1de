//! The contract that every rung keeps, over real sockets: routes, HTTP/1.1, both kinds of connection,
//! and clients that are slow, broken or rude.

use std::{
    fs, thread,
    time::{Duration, Instant, SystemTime},
};

use ladder_tests::{
    Client, DEADLINE, Response, Rung, Schedule, Server, Shown, conclusive, for_each_rung,
};
use site::{DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT, HEAD_TIME};

for_each_rung! {
    every: [
        answers_every_route,
        answers_head,
        keeps_a_connection,
        closes_a_connection,
        counts_every_tenth_request_over_all_connections,
        refuses_other_paths,
        refuses_other_methods,
        refuses_bad_parameters,
        takes_a_request_in_pieces,
        takes_leading_empty_lines,
        takes_every_form_of_target,
        speaks_http_1_0,
        answers_pipelined_requests_in_order,
        honours_connection_close,
        never_takes_a_body_for_a_request,
        limits_the_head,
        refuses_what_is_no_request,
        refuses_other_versions,
        answers_a_client_that_has_finished_sending,
        bounds_what_it_drains,
        limits_the_time,
        survives_rude_clients,
        survives_panics,
        survives_half_open_clients,
        survives_a_client_that_never_pauses,
        #[cfg(unix)]
        survives_running_out_of_descriptors,
        #[cfg(target_os = "linux")]
        survives_closed_output,
        #[cfg(target_os = "linux")]
        serves_files_without_descriptors,
    ]
    ThreadPerConnection: [
        #[cfg(target_os = "linux")]
        survives_running_out_of_threads,
    ]
}

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const INDEX: &[u8] = include_bytes!("../examples/site/index.html");

/// What a response to a plain HTTP/1.1 request must say about the connection in this mode.
fn usual(server: &Server) -> Option<&'static str> {
    if server.keep_alive { None } else { Some("close") }
}

/// Checks everything about a response but its body.
#[track_caller]
fn check_head(response: &Response, status: (u16, &str), kind: &str, connection: Option<&str>) {
    assert_eq!((response.status, response.reason.as_str()), status, "{response:?}");
    assert_eq!(response.header("Content-Type"), Some(kind), "{response:?}");
    assert_eq!(response.header("Connection"), connection, "{response:?}");
    assert_eq!(response.header("Transfer-Encoding"), None, "{response:?}");
    let allow = (status.0 == 405).then_some("GET, HEAD");
    assert_eq!(response.header("Allow"), allow, "{response:?}");

    let date = response.header("Date").unwrap_or_else(|| panic!("no Date in {response:?}"));
    let parsed = httpdate::parse_http_date(date).expect("Date is an HTTP date");
    assert_eq!(httpdate::fmt_http_date(parsed), date, "the form of the date that RFC 9110 prefers");
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    assert!(now - hour < parsed && parsed < now + hour, "{date} is not the time now");
}

/// Checks a 200 whole.
#[track_caller]
fn check_ok(response: &Response, kind: &str, body: &[u8], connection: Option<&str>) {
    check_head(response, (200, "OK"), kind, connection);
    assert_eq!(response.body, body, "{response:?}");
}

/// Checks a refusal: its status in the body too, and a connection that ends.
#[track_caller]
fn check_refusal(client: &mut Client, status: (u16, &str)) {
    let response = client.response();
    check_head(&response, status, TEXT, Some("close"));
    assert_eq!(response.text(), format!("{} {}\n", status.0, status.1));
    client.ends();
}

/// Sends one request on a connection of its own, and reads the answer. The connection is then closed.
#[track_caller]
fn ask(server: &Server, target: &str) -> Response {
    let mut client = Client::connect(server);
    client.get(target);
    client.response()
}

/// Checks that the server still does what it is there for.
#[track_caller]
fn still_answers(server: &Server) {
    check_ok(&ask(server, "/"), HTML, INDEX, usual(server));
}

/// Where a response ends in a body: every route, what kind of content it sends, and which.
fn routes() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let file = fs::read(site::HELLO_HTML).expect("the site has its file");
    vec![
        ("/", HTML, INDEX.to_vec()),
        ("/?", HTML, INDEX.to_vec()),
        ("/?ms=nonsense", HTML, INDEX.to_vec()),
        ("/sleep", TEXT, b"slept 100 ms\n".to_vec()),
        ("/sleep?ms=0", TEXT, b"slept 0 ms\n".to_vec()),
        ("/sleep?other=1&ms=7", TEXT, b"slept 7 ms\n".to_vec()),
        ("/tenth", TEXT, b"request 1 did not wait\n".to_vec()),
        ("/tenth?ms=5", TEXT, b"request 2 did not wait\n".to_vec()),
        ("/file", HTML, file.clone()),
        ("/file?version=2", HTML, file),
        ("/work", JSON, site::compute(100).into_bytes()),
        ("/work?n=0", JSON, b"{}".to_vec()),
        ("/work?n=3", JSON, site::compute(3).into_bytes()),
    ]
}

fn answers_every_route(rung: Rung) {
    rung.in_both_modes(|server| {
        for (target, kind, body) in routes() {
            let start = Instant::now();
            check_ok(&ask(server, target), kind, &body, usual(server));
            if target == "/sleep" {
                assert!(start.elapsed() >= Duration::from_millis(100), "/sleep did not wait");
            }
        }
        assert!(site::compute(3).contains("Value: 2"), "the last of three rounds");
    });
}

fn answers_head(rung: Rung) {
    let head = |target: &str| format!("HEAD {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    rung.in_both_modes(|server| {
        // The same answer without its body: the length is that of the body left out.
        for (target, kind, body) in routes() {
            let mut client = Client::connect(server);
            client.send(head(target));
            let response = client.response_to_head();
            check_head(&response, (200, "OK"), kind, usual(server));
            let length = body.len().to_string();
            assert_eq!(response.header("Content-Length"), Some(length.as_str()), "{response:?}");
            if server.keep_alive {
                // A body would now be in the way of the next response.
                client.get("/work?n=0");
                check_ok(&client.response(), JSON, b"{}", None);
            } else {
                client.ends();
            }
        }
        for (target, status) in [("/nowhere", 404), ("/sleep?ms=x", 400)] {
            let mut client = Client::connect(server);
            client.send(head(target));
            let response = client.response_to_head();
            assert_eq!(response.status, status, "{response:?}");
            assert_ne!(response.header("Content-Length"), Some("0"), "{response:?}");
            if !server.keep_alive {
                client.ends();
            }
        }
    });
}

fn keeps_a_connection(rung: Rung) {
    let server = rung.start(&["--keep-alive"]);
    let mut client = Client::connect(&server);
    for _ in 0..20 {
        client.get("/");
        check_ok(&client.response(), HTML, INDEX, None);
    }
    for (target, kind, body) in routes() {
        client.get(target);
        check_ok(&client.response(), kind, &body, None);
    }
}

fn closes_a_connection(rung: Rung) {
    let server = rung.start(&[]);
    for (target, kind, body) in routes() {
        let mut client = Client::connect(&server);
        client.get(target);
        check_ok(&client.response(), kind, &body, Some("close"));
        client.ends();
    }
    // A client that was told of the end, and keeps its own side open, costs nobody the server.
    let mut lingering = Client::connect(&server);
    lingering.get("/");
    check_ok(&lingering.response(), HTML, INDEX, Some("close"));
    still_answers(&server);
    lingering.ends();
}

/// One atomic counter for all connections: each number is given once, and each tenth waits.
fn counts_every_tenth_request_over_all_connections(rung: Rung) {
    let ms = 30;
    rung.in_both_modes(|server| {
        let ask = |_| {
            let start = Instant::now();
            let response = ask(server, &format!("/tenth?ms={ms}"));
            check_head(&response, (200, "OK"), TEXT, usual(server));
            (response.text().to_owned(), start.elapsed())
        };
        let mut answers: Vec<(String, Duration)> = thread::scope(|scope| {
            let clients: Vec<_> =
                (0..8).map(|_| scope.spawn(|| (0..5).map(ask).collect::<Vec<_>>())).collect();
            clients.into_iter().flat_map(|client| client.join().expect("it answers")).collect()
        });
        let number = |text: &str| -> u64 {
            let digits = text.split(' ').nth(1).expect("a number after \"request\"");
            digits.parse().expect("a number after \"request\"")
        };
        answers.sort_by_key(|(text, _)| number(text));
        for (expected, (text, elapsed)) in (1..).zip(&answers) {
            if expected % 10 == 0 {
                assert_eq!(*text, format!("request {expected} waited {ms} ms\n"));
                assert!(*elapsed >= Duration::from_millis(ms), "{text} came after {elapsed:?}");
            } else {
                assert_eq!(*text, format!("request {expected} did not wait\n"));
            }
        }
        assert_eq!(answers.len(), 40);
    });
}

fn refuses_other_paths(rung: Rung) {
    rung.in_both_modes(|server| {
        for target in
            ["/nowhere", "/sleep/", "//", "/SLEEP", "/favicon.ico", "/../Cargo.toml", "/panic"]
        {
            let mut client = Client::connect(server);
            client.get(target);
            let response = client.response();
            check_head(&response, (404, "Not Found"), TEXT, usual(server));
            assert!(response.text().starts_with("404 Not Found"), "{response:?}");
            if server.keep_alive {
                client.get("/");
                check_ok(&client.response(), HTML, INDEX, None);
            } else {
                client.ends();
            }
        }
    });
}

fn refuses_other_methods(rung: Rung) {
    rung.in_both_modes(|server| {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW", "get"] {
            for target in ["/", "/sleep", "/tenth", "/file", "/work"] {
                let mut client = Client::connect(server);
                client.send(format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
                let response = client.response();
                check_head(&response, (405, "Method Not Allowed"), TEXT, usual(server));
            }
        }
        let mut client = Client::connect(server);
        client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
        check_head(&client.response(), (405, "Method Not Allowed"), TEXT, usual(server));
        // Of a request without a body, everything has been read: such a connection may go on.
        if server.keep_alive {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
            check_head(&client.response(), (405, "Method Not Allowed"), TEXT, None);
            client.get("/");
            check_ok(&client.response(), HTML, INDEX, None);
        }
        drop(client);
        // The counter of /tenth counts requests that were answered, not ones that were refused.
        assert_eq!(ask(server, "/tenth").text(), "request 1 did not wait\n");
    });
}

fn refuses_bad_parameters(rung: Rung) {
    let cases = [
        ("/sleep?ms=10001", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=-1", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=+1", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=1.5", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=soon", "ms must be a whole number from 0 to 10000"),
        ("/sleep?ms=99999999999999999999999", "ms must be a whole number from 0 to 10000"),
        ("/tenth?ms=10001", "ms must be a whole number from 0 to 10000"),
        ("/work?n=100001", "n must be a whole number from 0 to 100000"),
        ("/work?n=ten", "n must be a whole number from 0 to 100000"),
    ];
    rung.in_both_modes(|server| {
        for (target, words) in cases {
            let mut client = Client::connect(server);
            client.get(target);
            let response = client.response();
            check_head(&response, (400, "Bad Request"), TEXT, usual(server));
            assert!(response.text().contains(words), "{words:?} in {response:?}");
            if server.keep_alive {
                client.get("/");
                check_ok(&client.response(), HTML, INDEX, None);
            } else {
                client.ends();
            }
        }
    });
}

fn takes_a_request_in_pieces(rung: Rung) {
    let request = b"GET /work?n=2 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
    let body = site::compute(2).into_bytes();
    rung.in_both_modes(|server| {
        // A pause between two pieces, so that the server sees one without the other.
        let pause = || thread::sleep(Duration::from_millis(1));
        conclusive(HEAD_TIME, || {
            let mut client = Client::connect(server);
            for byte in request {
                client.send([*byte]);
                pause();
            }
            check_ok(&client.response(), JSON, &body, usual(server));
        });
        for cut in 1..request.len() {
            conclusive(HEAD_TIME, || {
                let mut client = Client::connect(server);
                client.send(&request[..cut]);
                pause();
                client.send(&request[cut..]);
                check_ok(&client.response(), JSON, &body, usual(server));
            });
        }
    });
}

/// RFC 9112, section 2.2: a server should ignore at least one empty line before the request line.
fn takes_leading_empty_lines(rung: Rung) {
    rung.in_both_modes(|server| {
        let mut client = Client::connect(server);
        client.send("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
        check_ok(&client.response(), HTML, INDEX, usual(server));
        if server.keep_alive {
            client.send("\r\nGET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
            check_ok(&client.response(), JSON, b"{}", None);
        }
    });
}

fn takes_every_form_of_target(rung: Rung) {
    let cases: [(&str, &str, &[u8]); 6] = [
        ("http://localhost/work?n=0", JSON, b"{}"),
        ("HTTP://LOCALHOST:8080/work?n=0", JSON, b"{}"),
        ("http://[::1]:80/work?n=0", JSON, b"{}"),
        ("http://localhost", HTML, INDEX),
        ("http://localhost?ms=1", HTML, INDEX),
        ("/?a=b?c=/d", HTML, INDEX),
    ];
    rung.in_both_modes(|server| {
        for (target, kind, body) in cases {
            check_ok(&ask(server, target), kind, body, usual(server));
        }
        // Header names know no case.
        let mut client = Client::connect(server);
        client.send("GET / HTTP/1.1\r\nhOST:a\r\n\r\n");
        check_ok(&client.response(), HTML, INDEX, usual(server));
    });
}

fn speaks_http_1_0(rung: Rung) {
    rung.in_both_modes(|server| {
        let mut plain = Client::connect(server);
        plain.send("GET / HTTP/1.0\r\n\r\n");
        check_ok(&plain.response(), HTML, INDEX, Some("close"));
        plain.ends();
        drop(plain);

        let asks = "GET /work?n=0 HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
        let mut asking = Client::connect(server);
        asking.send(asks);
        if server.keep_alive {
            check_ok(&asking.response(), JSON, b"{}", Some("keep-alive"));
            asking.send(asks);
            check_ok(&asking.response(), JSON, b"{}", Some("keep-alive"));
            asking.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
            check_ok(&asking.response(), HTML, INDEX, Some("close"));
        } else {
            check_ok(&asking.response(), JSON, b"{}", Some("close"));
        }
        asking.ends();
    });
}

fn answers_pipelined_requests_in_order(rung: Rung) {
    rung.in_both_modes(|server| {
        // The slow one first: its answer must still come first.
        let mut client = Client::connect(server);
        let request = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
        client.send(request("/sleep?ms=50") + &request("/work?n=0") + &request("/"));
        check_ok(&client.response(), TEXT, b"slept 50 ms\n", usual(server));
        if server.keep_alive {
            check_ok(&client.response(), JSON, b"{}", None);
            check_ok(&client.response(), HTML, INDEX, None);
            // More than fits into one read.
            let many: String = (0..500).map(|n| request(&format!("/work?n={}", n % 3))).collect();
            client.send(many);
            for n in 0..500 {
                check_ok(&client.response(), JSON, site::compute(n % 3).as_bytes(), None);
            }
        } else {
            client.ends();
        }
    });
}

fn honours_connection_close(rung: Rung) {
    let server = rung.start(&["--keep-alive"]);
    for options in ["close", "Close", "keep-alive, CLOSE", "close\r\nConnection: keep-alive"] {
        let mut client = Client::connect(&server);
        client.get("/");
        check_ok(&client.response(), HTML, INDEX, None);
        // What follows a request that closes is not answered.
        client.send(format!(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: {options}\r\n\r\n\
             GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        ));
        check_ok(&client.response(), HTML, INDEX, Some("close"));
        client.ends();
    }
    for options in ["keep-alive", "Keep-Alive, TE", "closed", "upgrade"] {
        let mut client = Client::connect(&server);
        for _ in 0..2 {
            client.send(format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: {options}\r\n\r\n"));
            check_ok(&client.response(), HTML, INDEX, None);
        }
    }
}

fn never_takes_a_body_for_a_request(rung: Rung) {
    // Were it taken for one, this body would be answered.
    let smuggled = "GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n";
    let large = smuggled.repeat(200_000 / smuggled.len() + 1);
    let chunked = format!("{:x}\r\n{smuggled}\r\n0\r\n\r\n", smuggled.len());
    let cases = [
        ("POST", format!("Content-Length: {}", smuggled.len()), smuggled),
        ("POST", format!("Content-Length: {}", large.len()), &large),
        ("POST", "Transfer-Encoding: chunked".to_owned(), &chunked),
        ("GET", format!("Content-Length: {}", smuggled.len()), smuggled),
        ("GET", format!("Content-Length: {}", large.len()), &large),
        ("GET", "Transfer-Encoding: chunked".to_owned(), &chunked),
        // Two equal lengths say the same thing twice.
        ("GET", "Content-Length: 3\r\nContent-Length: 3".to_owned(), "abc"),
        // A client that waits for a "100 Continue" gets the answer instead, and keeps its body.
        ("POST", "Expect: 100-continue\r\nContent-Length: 5".to_owned(), ""),
    ];
    rung.in_both_modes(|server| {
        for (method, length, body) in &cases {
            println!("{method} with {length}");
            conclusive(DRAIN_TIME, || {
                let mut client = Client::connect(server);
                client.send(format!("{method} / HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n{body}"));
                let response = client.response();
                match *method {
                    "GET" => check_ok(&response, HTML, INDEX, Some("close")),
                    _ => check_head(&response, (405, "Method Not Allowed"), TEXT, Some("close")),
                }
                client.ends();
            });
        }
        still_answers(server);
    });
}

fn limits_the_head(rung: Rung) {
    let too_large = (431, "Request Header Fields Too Large");
    // A head of exactly so many bytes.
    let head = |length: usize| {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
        format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
    };
    rung.in_both_modes(|server| {
        for length in [HEAD_LIMIT - 1, HEAD_LIMIT] {
            let mut client = Client::connect(server);
            client.send(head(length));
            check_ok(&client.response(), HTML, INDEX, usual(server));
        }
        if server.keep_alive {
            // The limit is each head's own, also where several arrive at once.
            let mut client = Client::connect(server);
            client.send(head(HEAD_LIMIT) + &head(HEAD_LIMIT) + &head(100));
            for _ in 0..3 {
                check_ok(&client.response(), HTML, INDEX, None);
            }
        }
        let long_path = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "p".repeat(HEAD_LIMIT));
        let many_lines = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(200));
        let cases = [
            head(HEAD_LIMIT + 1),
            head(100_000),
            long_path,
            many_lines,
            // It never ends: the server must not wait for more.
            format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(100_000)),
        ];
        for request in &cases {
            // The client sends everything first and reads then, and must still find the whole answer.
            conclusive(DRAIN_TIME, || {
                let mut client = Client::connect(server);
                client.send(request);
                check_refusal(&mut client, too_large);
            });
        }
    });
}

fn refuses_what_is_no_request(rung: Rung) {
    let with = |line: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n");
    let cases: Vec<(&str, Vec<u8>)> = [
        ("no Host", "GET / HTTP/1.1\r\n\r\n".to_owned()),
        ("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n".to_owned()),
        ("a fragment", "GET /#top HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("two Hosts", with("Host: a")),
        ("two other Hosts", with("Host: b")),
        ("a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n".to_owned()),
        ("a Host that is a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n".to_owned()),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n".to_owned()),
        ("a folded line", with("X: y\r\n z")),
        ("a line that starts with a space", "GET / HTTP/1.1\r\n Host: a\r\n\r\n".to_owned()),
        ("lines that end without CR", "GET / HTTP/1.1\nHost: a\n\n".to_owned()),
        ("one line that ends without CR", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n".to_owned()),
        ("an end without CR", "GET / HTTP/1.1\r\nHost: a\r\n\n".to_owned()),
        ("a CR inside a line", with("X: a\rb")),
        ("a NUL inside a line", with("X: a\0b")),
        ("a header line without a colon", with("nonsense")),
        ("a header name with brackets", with("X(y): z")),
        ("a header without a name", with(": z")),
        ("one word", "garbage\r\n\r\n".to_owned()),
        ("two words", "GET /\r\n\r\n".to_owned()),
        ("four words", "GET / index HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a version of letters", "GET / HTTP/one\r\nHost: a\r\n\r\n".to_owned()),
        ("another protocol", "GET / ICY/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned()),
        ("a target without a slash", "GET index HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a target of another scheme", "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a target without a host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("GET *", "GET * HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a tunnel", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n".to_owned()),
        ("a length of letters", with("Content-Length: many")),
        ("a length with a sign", with("Content-Length: +5")),
        ("a negative length", with("Content-Length: -5")),
        ("a length of nothing", with("Content-Length:")),
        ("a hexadecimal length", with("Content-Length: 0x5")),
        ("a list of lengths", with("Content-Length: 5, 6")),
        ("a length without end", with("Content-Length: 99999999999999999999999")),
        ("two other lengths", with("Content-Length: 5\r\nContent-Length: 6")),
        ("a length and chunks", with("Content-Length: 5\r\nTransfer-Encoding: chunked")),
        ("chunks in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned()),
    ]
    .into_iter()
    .map(|(name, request)| (name, request.into_bytes()))
    // What a browser sends that was told https instead of http: the start of a TLS hello.
    .chain([("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x9e\x5a".to_vec())])
    .chain([("zeros", vec![0; 1000])])
    .collect();
    rung.in_both_modes(|server| {
        for (name, request) in &cases {
            println!("{name}");
            let mut client = Client::connect(server);
            client.send(request);
            check_refusal(&mut client, (400, "Bad Request"));
        }
        if server.keep_alive {
            // After a good request, too; and what follows a bad one is not answered.
            let mut client = Client::connect(server);
            client.send(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n\
                 GET / HTTP/1.1\r\n\r\n\
                 GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            );
            check_ok(&client.response(), HTML, INDEX, None);
            check_refusal(&mut client, (400, "Bad Request"));
        }
        still_answers(server);
    });
}

fn refuses_other_versions(rung: Rung) {
    rung.in_both_modes(|server| {
        for version in ["HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0"] {
            let mut client = Client::connect(server);
            client.send(format!("GET / {version}\r\nHost: a\r\n\r\n"));
            check_refusal(&mut client, (505, "HTTP Version Not Supported"));
        }
        // How a client starts that takes HTTP/2 for granted.
        let mut client = Client::connect(server);
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        check_refusal(&mut client, (505, "HTTP Version Not Supported"));
    });
}

/// `nc` and simple scripts send their request, shut down their half, and read.
fn answers_a_client_that_has_finished_sending(rung: Rung) {
    rung.in_both_modes(|server| {
        for (target, kind, body) in routes() {
            let mut client = Client::connect(server);
            client.get(target);
            client.finish_sending();
            check_ok(&client.response(), kind, &body, usual(server));
            client.ends();
        }
        let mut half = Client::connect(server);
        half.send("GET / HTTP/1.1\r\nHost");
        half.finish_sending();
        half.ends();
        let mut silent = Client::connect(server);
        silent.finish_sending();
        silent.ends();
    });
}

/// A server that drains whatever comes would be kept busy for ever by a client that never stops.
fn bounds_what_it_drains(rung: Rung) {
    rung.in_both_modes(|server| {
        let mut client = Client::connect(server);
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
        // What may be under way in the buffers of both sides comes on top of the limit.
        let most = DRAIN_LIMIT + 64 * 1024 * 1024;
        let sent = client.flood(&[b'x'; 65536], most);
        assert!(sent < most, "the server took {sent} bytes of a body that nobody wanted");
        still_answers(server);
    });
}

/// Each experiment has its own server, and all run side by side: rung 1 serves only one client at a time.
fn limits_the_time(rung: Rung) {
    fn took_its_time(start: Instant) {
        // Timers may be a little early; nobody may be early by a tenth of a second.
        let least = HEAD_TIME - Duration::from_millis(100);
        assert!(start.elapsed() >= least, "the limit was over after {:?}", start.elapsed());
    }
    let timeout = (408, "Request Timeout");
    let half_a_head = |flags: &[&str]| {
        let server = rung.start(flags);
        let start = Instant::now();
        let mut client = Client::connect(&server);
        client.send("GET / HTTP/1.1\r\nHost: a\r\n");
        check_refusal(&mut client, timeout);
        took_its_time(start);
        still_answers(&server);
    };
    let a_byte_now_and_then = || {
        // Each byte comes in good time. The head as a whole does not: the limit is for the head.
        let server = rung.start(&[]);
        let start = Instant::now();
        let mut client = Client::connect(&server);
        client.send("GET / HTTP/1.1\r\nX: ");
        while !client.hears_within(Duration::from_millis(300)) {
            // It fails if the server was just about to answer.
            let _ = client.try_send("x");
        }
        let (answer, _) = client.rest();
        assert!(answer.starts_with(b"HTTP/1.1 408 "), "a 408, not {}", Shown(&answer));
        took_its_time(start);
        still_answers(&server);
    };
    let silence = || {
        let server = rung.start(&[]);
        let start = Instant::now();
        Client::connect(&server).ends();
        took_its_time(start);
        still_answers(&server);
    };
    let an_idle_kept_connection = || {
        let server = rung.start(&["--keep-alive"]);
        let mut client = Client::connect(&server);
        let start = Instant::now();
        client.get("/");
        check_ok(&client.response(), HTML, INDEX, None);
        client.ends();
        took_its_time(start);
        still_answers(&server);
    };
    thread::scope(|scope| {
        scope.spawn(|| half_a_head(&[]));
        scope.spawn(|| half_a_head(&["--keep-alive"]));
        scope.spawn(a_byte_now_and_then);
        scope.spawn(silence);
        scope.spawn(an_idle_kept_connection);
        scope.spawn(|| gives_up_a_slow_reader(rung));
    });
}

fn survives_rude_clients(rung: Rung) {
    rung.in_both_modes(|server| {
        for _ in 0..50 {
            drop(Client::connect(server));
        }
        for _ in 0..50 {
            Client::connect(server).reset();
        }
        for _ in 0..50 {
            let mut half = Client::connect(server);
            half.send("GET / HTTP/1.1\r\nHos");
            drop(half);
        }
        for target in ["/", "/sleep?ms=20", "/file", "/work?n=500"] {
            for _ in 0..20 {
                let mut hasty = Client::connect(server);
                hasty.get(target);
                hasty.reset();
            }
        }
        still_answers(server);
    });
}

/// Clients that ask much and read nothing: the server's writes block, up to their limit.
fn gives_up_a_slow_reader(rung: Rung) {
    let mut server = rung.start(&["--keep-alive"]);
    // A runtime opens files of its own when it serves its first client.
    assert_eq!(ask(&server, "/file").status, 200);
    #[cfg(target_os = "linux")]
    let before = server.open_files();
    // Each asks a little more than the one before, so that they do not all stop at the same answer.
    let several = if rung.serves_beside_waiting_clients() { 16 } else { 0 };
    let others: Vec<Client> = (0..several)
        .map(|number| {
            let mut client = Client::connect_with_small_buffers(&server);
            client.flood(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 3000 + 100 * number);
            client
        })
        .collect();
    let mut slow = Client::connect_with_small_buffers(&server);
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    let most = 64 * 1024 * 1024;
    let sent = slow.flood(requests.as_bytes(), most);
    assert!(
        sent < most,
        "the server took {sent} bytes of requests from a client that reads nothing"
    );
    still_answers(&server);
    // In the end the server gives this client up: its buffer stays full until then.
    // Now and then the kernel takes a little more from the server, and each time its five seconds begin anew.
    let start = Instant::now();
    let patiently = |what: &str, mut given_up: Box<dyn FnMut() -> bool + '_>| {
        while !given_up() {
            assert!(start.elapsed() < Duration::from_secs(180), "still connected: {what}");
            thread::sleep(Duration::from_millis(100));
        }
    };
    patiently("a client that reads nothing", Box::new(|| slow.is_given_up()));
    #[cfg(target_os = "linux")]
    patiently("some of the clients", Box::new(|| server.open_files() <= before));
    drop(others);
    still_answers(&server);
    assert!(server.is_running());
}

/// A panic costs its own client the answer. It costs nobody else anything, and the pool none of its threads.
fn survives_panics(rung: Rung) {
    let threads = 3;
    for flags in [&["--panic-route"][..], &["--panic-route", "--keep-alive"]] {
        let mut server = rung.launch_with_threads(threads).args(flags).start();
        for _ in 0..threads * 4 {
            let mut client = Client::connect(&server);
            client.get("/panic");
            let (answer, _) = client.rest();
            assert!(answer.is_empty(), "a handler that panicked answered {}", Shown(&answer));
        }
        still_answers(&server);
        if rung.schedule != Schedule::OneThread {
            // With one thread less there would be none left for the good client.
            conclusive(HEAD_TIME, || {
                let held = half_open(&server, threads - 1);
                let start = Instant::now();
                still_answers(&server);
                assert!(start.elapsed() < HEAD_TIME, "answered only when others had gone");
                drop(held);
            });
        }
        assert!(server.is_running());
    }
}

/// So many clients that have sent half a request each. The backlog has room for those that are not accepted.
fn half_open(server: &Server, count: usize) -> Vec<Client> {
    let half_open = |_| {
        let mut client = Client::connect(server);
        client.send("GET / HTTP/1.1\r\nHost: a\r\n");
        client
    };
    (0..count).map(half_open).collect()
}

fn survives_half_open_clients(rung: Rung) {
    rung.in_both_modes(|server| {
        if rung.serves_beside_waiting_clients() {
            conclusive(HEAD_TIME, || {
                let clients = half_open(server, 200);
                let start = Instant::now();
                still_answers(server);
                assert!(start.elapsed() < HEAD_TIME, "answered only when others had gone");
                drop(clients);
            });
        } else {
            drop(half_open(server, 200));
        }
        still_answers(server);
    });
}

/// A client that sends one request after the other, and never waits for an answer, always has bytes to read
/// and room to write. It must not keep the only thread of a rung whose tasks share it.
fn survives_a_client_that_never_pauses(rung: Rung) {
    if !rung.serves_beside_waiting_clients() {
        // There a connection keeps its thread by nature, and with `--keep-alive` for as long as it likes.
        return;
    }
    let server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    let greedy = Client::connect(&server).never_pause("GET /work?n=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    thread::sleep(Duration::from_millis(200));
    for _ in 0..3 {
        still_answers(&server);
    }
    drop(greedy);
    still_answers(&server);
}

/// `EMFILE`: no descriptor is left for another connection.
#[cfg(unix)]
fn survives_running_out_of_descriptors(rung: Rung) {
    let said = |server: &Server| server.stderr().lines().filter(|line| !line.is_empty()).count();
    let start = Instant::now();
    let check = |server: &Server, least: usize| {
        let stderr = server.stderr();
        assert!(
            stderr.lines().all(|line| line.contains("cannot accept a connection")),
            "{stderr:?}"
        );
        // Once each time it begins. A machine that stalls for a second makes one shortage look like two.
        let most = least + start.elapsed().as_secs() as usize;
        assert!((least..=most).contains(&said(server)), "{least} to {most} times: {stderr:?}");
    };
    if rung.schedule == Schedule::OneThread {
        // It holds one connection at a time, so clients alone can't exhaust it.
        let Some([lower, raise]) = limits_of_a_running_server() else { return };
        let server = rung.start(&[]);
        lower(&server);
        let mut waiting = Client::connect(&server);
        waiting.get("/");
        ladder_tests::wait_until("the server says that it can accept nobody", || said(&server) > 0);
        thread::sleep(Duration::from_millis(300));
        raise(&server);
        check_ok(&waiting.response(), HTML, INDEX, Some("close"));
        drop(waiting);
        still_answers(&server);
        check(&server, 1);
        return;
    }
    for flags in [&[][..], &["--keep-alive"]] {
        let mut server = rung.launch().args(flags).limit_files(32).start();
        for round in 0..2 {
            println!("round {round} with the flags {flags:?}");
            let said_before = said(&server);
            let mut clients = half_open(&server, 60);
            ladder_tests::wait_until("the server says that it can accept nobody", || {
                said(&server) > said_before
            });
            // Those that were accepted first are served, and make room for the others.
            for client in &mut clients {
                client.send("\r\n");
                check_ok(&client.response(), HTML, INDEX, usual(&server));
                *client = Client::connect(&server);
            }
            drop(clients);
            still_answers(&server);
            // After a second without a failure, the next one is news.
            thread::sleep(Duration::from_millis(1200));
        }
        assert!(server.is_running());
        check(&server, 2);
    }
}

/// Whoever reads the output of a server may leave, as in `2>&1 | head -1`, and then it runs out of descriptors.
#[cfg(target_os = "linux")]
fn survives_closed_output(rung: Rung) {
    let limit = 32;
    let mut server = rung.launch().args(&["--panic-route"]).limit_files(limit).unheard().start();
    for _ in 0..2 {
        if rung.schedule == Schedule::OneThread {
            // It holds one connection at a time, so clients alone can't exhaust it.
            server.limit_files(3);
            let mut waiting = Client::connect(&server);
            waiting.get("/");
            thread::sleep(Duration::from_millis(300));
            server.limit_files(limit);
            check_ok(&waiting.response(), HTML, INDEX, Some("close"));
        } else {
            let clients = half_open(&server, 60);
            ladder_tests::wait_until("no descriptor is left", || {
                server.open_files() >= limit as usize
            });
            // Time to complain in, more than once.
            thread::sleep(Duration::from_millis(300));
            drop(clients);
        }
        // A panic has words for standard error as well.
        let mut client = Client::connect(&server);
        client.get("/panic");
        client.ends();
        still_answers(&server);
        assert!(server.is_running());
    }
}

/// A client that was accepted gets its file, or hears why not, although others have taken all descriptors.
#[cfg(target_os = "linux")]
fn serves_files_without_descriptors(rung: Rung) {
    if rung.schedule == Schedule::OneThread {
        // It accepts nobody while it serves a client.
        return;
    }
    let limit = 32;
    let server = rung.launch().args(&["--keep-alive"]).limit_files(limit).start();
    // A kept connection ends when it has been idle for so long.
    conclusive(HEAD_TIME, || {
        let mut inside = Client::connect(&server);
        inside.get("/");
        check_ok(&inside.response(), HTML, INDEX, None);
        let others = half_open(&server, 60);
        ladder_tests::wait_until("no descriptor is left", || server.open_files() >= limit as usize);
        inside.get("/file");
        let response = inside.response();
        check_head(&response, (503, "Service Unavailable"), TEXT, None);
        assert!(
            response.text().contains("every file that this server may open is open"),
            "{response:?}"
        );
        drop(others);
        ladder_tests::wait_until("the descriptors are given back", || {
            inside.get("/file");
            inside.response().status == 200
        });
    });
    still_answers(&server);
}

/// How to take all free descriptors from a running server, and how to give them back; where the system can.
#[cfg(unix)]
fn limits_of_a_running_server() -> Option<[fn(&Server); 2]> {
    #[cfg(target_os = "linux")]
    return Some([|server| server.limit_files(3), |server| server.limit_files(256)]);
    #[cfg(not(target_os = "linux"))]
    {
        ladder_tests::skip("only Linux can limit the descriptors of a process that runs");
        None
    }
}

/// The system refuses a thread: that costs its client the answer, and nobody the server.
#[cfg(target_os = "linux")]
fn survives_running_out_of_threads(rung: Rung) {
    let server = rung.start(&[]);
    still_answers(&server);
    // Room for the stacks of about ten threads, and half a stack for everything else.
    let stack = 2 * 1024 * 1024;
    server.limit_address_space(server.status("VmSize") * 1024 + 10 * stack + stack / 2);
    let refused = conclusive(HEAD_TIME, || {
        // They send nothing, so that a refusal can't cross a request and be lost to a reset.
        let mut clients: Vec<Client> = (0..40).map(|_| Client::connect(&server)).collect();
        // They are accepted in their order: when the last has its refusal, so have those before it.
        let last = clients.last_mut().expect("there are 40");
        assert!(last.hears_within(DEADLINE), "40 connections, and no thread was refused");
        // The last ones first, until one is met that has a thread, and hears nothing.
        let mut refused = 0;
        for client in clients.iter_mut().rev() {
            if !client.hears_within(Duration::from_millis(100)) {
                break;
            }
            check_refusal(client, (503, "Service Unavailable"));
            refused += 1;
        }
        refused
    });
    assert!(refused < 40, "threads were refused that the limit allows");
    // The refused and the served are gone now; their threads end, and others can be had.
    ladder_tests::wait_until("a thread can be had again", || ask(&server, "/").status == 200);
    still_answers(&server);
}
