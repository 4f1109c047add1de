//! HTTP/1.1: every form of a request that a server must take, and those that it must refuse.

use std::{thread, time::Duration};

use ladder_tests::{Client, Rung, Server, conclusive, for_each_server, none, probe::Answer};
use site::{DRAIN_TIME, HEAD_TIME};

use super::probe::{NEXT, unexpected};
use crate::{
    HTML, INDEX, JSON, TEXT, ask, check_head, check_ok, check_refusal, routes, still_answers, usual,
};

for_each_server! {
    every: [
        takes_a_request_in_pieces,
        takes_leading_empty_lines,
        takes_every_form_of_target,
        speaks_http_1_0,
        answers_pipelined_requests_in_order,
        honours_connection_close,
        never_takes_a_body_for_a_request,
        takes_two_equal_lengths_for_one,
        refuses_what_is_no_request,
        refuses_other_versions,
        answers_a_client_that_has_finished_sending,
        closes_where_less_than_a_request_comes,
    ]
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
        let response = plain.response();
        check_ok(&response, HTML, INDEX, Some("close"));
        // A response has the server's version, not the client's (RFC 9110, section 6.2).
        assert!(response.head.starts_with(b"HTTP/1.1 "), "{response:?}");
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

/// What is no request, each with its name.
pub(super) fn malformed() -> Vec<(&'static str, Vec<u8>)> {
    let with = |line: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n");
    let host = |value: &str| format!("GET / HTTP/1.1\r\nHost: {value}\r\n\r\n");
    let lines = [
        ("no Host", "GET / HTTP/1.1\r\n\r\n".to_owned()),
        ("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n".to_owned()),
        ("a fragment", "GET /#top HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a path with an accent", "GET /caf\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("a query with an accent", "GET /?q=\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        ("two Hosts", with("Host: a")),
        ("two other Hosts", with("Host: b")),
        ("a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n".to_owned()),
        ("a Host that is a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n".to_owned()),
        ("a Host that is an address without brackets", host("::1")),
        ("a Host with a comma", host("a,b")),
        ("a Host with two ports", host("a:80:80")),
        ("a Host whose bracket stays open", host("[::1")),
        (
            "a Host with a comma beside a whole target",
            "GET http://a/ HTTP/1.1\r\nHost: a,b\r\n\r\n".to_owned(),
        ),
        ("a target with a user", "GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
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
    ];
    let lines = lines.into_iter().map(|(name, request)| (name, request.into_bytes()));
    // What a browser sends that was told https instead of http: the start of a TLS hello.
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x9e\x5a".to_vec();
    lines.chain([("TLS", hello), ("zeros", vec![0; 1000])]).collect()
}

/// Requests of other versions, each with its name.
pub(super) fn other_versions() -> Vec<(&'static str, Vec<u8>)> {
    let versions = ["HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0"];
    let plain = |version| format!("GET / {version}\r\nHost: a\r\n\r\n").into_bytes();
    let mut cases = Vec::from(versions.map(|version| (version, plain(version))));
    // How a client starts that takes HTTP/2 for granted.
    cases.push(("the start of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()));
    cases
}

/// Two equal lengths say the same thing twice: a server may take them for one (RFC 9110, section 8.6).
fn takes_two_equal_lengths_for_one(rung: Rung) {
    rung.in_both_modes(|server| {
        let mut client = Client::connect(server);
        client
            .send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
        check_ok(&client.response(), HTML, INDEX, Some("close"));
        client.ends();
    });
}

/// Checks that each of these is refused with this status, or answered as the server's library does.
fn refuses_each(server: &Server, cases: Vec<(&str, Vec<u8>)>, status: (u16, &str)) {
    let refusal = Answer::try_from(format!("{} and close", status.0)).expect("it is an answer");
    let mut complaints = Vec::new();
    for (name, request) in cases {
        println!("{name}");
        if server.rung.library_refuses() || server.rung.instead(name).is_some() {
            complaints.extend(unexpected(server, name, &request, NEXT, &refusal));
            continue;
        }
        let mut client = Client::connect(server);
        client.send(request);
        check_refusal(&mut client, status);
    }
    none(complaints);
}

fn refuses_what_is_no_request(rung: Rung) {
    rung.in_both_modes(|server| {
        refuses_each(server, malformed(), (400, "Bad Request"));
        if server.keep_alive {
            // After a good request, too; and what follows a bad one, which every library refuses, is not answered.
            let mut client = Client::connect(server);
            client.send(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n\
                 GET / HTTP/1.1\r\nHost : a\r\n\r\n\
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
        refuses_each(server, other_versions(), (505, "HTTP Version Not Supported"));
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
    });
}

fn closes_where_less_than_a_request_comes(rung: Rung) {
    rung.in_both_modes(|server| {
        let mut half = Client::connect(server);
        half.send("GET / HTTP/1.1\r\nHost");
        half.finish_sending();
        half.ends();
        let mut silent = Client::connect(server);
        silent.finish_sending();
        silent.ends();
    });
}
