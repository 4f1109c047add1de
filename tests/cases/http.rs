//! HTTP/1.1: every form of a request that a server must take, and those that it must refuse.

use std::{thread, time::Duration};

use site::{DRAIN_TIME, HEAD_TIME};

use super::{
    HTML, INDEX, JSON, Pages, TEXT, Target, ask, check_head, check_page, check_refusal, go_on,
    published::{all, check_answer},
    routes, says_close, still_answers, usual,
};
use crate::{Client, Excerpt, Failure, Response, probe::Answer};

/// However a request is cut into packets, it is one.
pub fn takes_a_request_in_pieces(server: &Target) -> Result<(), Failure> {
    let page = server.page("/work?n=2");
    let host = server.host();
    let request = format!("GET {page} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n");
    let request = request.as_bytes();
    let body = site::compute(2).into_bytes();
    // A pause between two pieces, so that the server sees one without the other.
    let pause = || thread::sleep(Duration::from_millis(1));
    server.conclusive(HEAD_TIME, || {
        let mut client = Client::connect(server)?;
        for byte in request {
            client.send([*byte])?;
            pause();
        }
        check_page(server, &client.response()?, JSON, &body, usual(server))
    })?;
    for cut in 1..request.len() {
        server.conclusive(HEAD_TIME, || {
            let mut client = Client::connect(server)?;
            client.send(&request[..cut])?;
            pause();
            client.send(&request[cut..])?;
            check_page(server, &client.response()?, JSON, &body, usual(server))
        })?;
    }
    Ok(())
}

/// RFC 9112, section 2.2: a server should ignore at least one empty line before the request line.
pub fn takes_leading_empty_lines(server: &Target) -> Result<(), Failure> {
    let host = server.host();
    let mut client = Client::connect(server)?;
    client.send(format!("\r\nGET / HTTP/1.1\r\nHost: {host}\r\n\r\n"))?;
    let response = client.response()?;
    check_page(server, &response, HTML, INDEX, usual(server))?;
    if server.can.keep_alive {
        let mut client = go_on(client, &response)?;
        let page = server.page("/work?n=0");
        client.send(format!("\r\nGET {page} HTTP/1.1\r\nHost: {host}\r\n\r\n"))?;
        check_page(server, &client.response()?, JSON, b"{}", None)?;
    }
    Ok(())
}

/// A path, a whole URL, a query; and header names in any case.
pub fn takes_every_form_of_target(server: &Target) -> Result<(), Failure> {
    let page = server.page("/work?n=0");
    let port = server.address.port();
    let own = format!("http://localhost:{port}");
    // Many a server that looks at its name knows that only as clients write it.
    let name = if server.is_theirs() { "localhost" } else { "LOCALHOST" };
    for host in [&own, &format!("HTTP://{name}:{port}"), &format!("http://127.0.0.1:{port}")] {
        check_page(server, &ask(server, &format!("{host}{page}"))?, JSON, b"{}", usual(server))?;
    }
    // Somebody else's page may be another one where it is asked with a query.
    let with_queries = [format!("{own}?ms=1"), "/?a=b?c=/d".to_owned()];
    let with_queries = if server.is_theirs() { &[][..] } else { &with_queries };
    for target in [own].iter().chain(with_queries) {
        check_page(server, &ask(server, target)?, HTML, INDEX, usual(server))?;
    }
    // Header names know no case.
    let mut client = Client::connect(server)?;
    client.send(format!("GET / HTTP/1.1\r\nhOST:{}\r\n\r\n", server.host()))?;
    check_page(server, &client.response()?, HTML, INDEX, usual(server))
}

/// A client of HTTP/1.0 is answered, and kept only if it asks for that.
pub fn speaks_http_1_0(server: &Target) -> Result<(), Failure> {
    // The version does not ask for a `Host`, and clients of it send one all the same.
    let host = server.host();
    let with_host = format!("GET / HTTP/1.0\r\nHost: {host}\r\n\r\n");
    let mut plain = Client::connect(server)?;
    plain.send(&with_host)?;
    let response = plain.response()?;
    check_page(server, &response, HTML, INDEX, Some("close"))?;
    plain.ends()?;
    drop(plain);
    if server.is_theirs() {
        // It may answer in the client's version, and keep a client of HTTP/1.0 or not.
        return Ok(());
    }
    // A response has the server's version, not the client's (RFC 9110, section 6.2).
    response.ensure(response.head.starts_with(b"HTTP/1.1 "), "a response in HTTP/1.1")?;

    let mut nameless = Client::connect(server)?;
    nameless.send("GET / HTTP/1.0\r\n\r\n")?;
    check_page(server, &nameless.response()?, HTML, INDEX, Some("close"))?;
    nameless.ends()?;
    drop(nameless);

    let asks = "GET /work?n=0 HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
    let mut asking = Client::connect(server)?;
    asking.send(asks)?;
    if server.can.keep_alive {
        check_page(server, &asking.response()?, JSON, b"{}", Some("keep-alive"))?;
        asking.send(asks)?;
        check_page(server, &asking.response()?, JSON, b"{}", Some("keep-alive"))?;
        asking.send(with_host)?;
        check_page(server, &asking.response()?, HTML, INDEX, Some("close"))?;
    } else {
        check_page(server, &asking.response()?, JSON, b"{}", Some("close"))?;
    }
    asking.ends()
}

/// Requests that come before the answers to those in front of them.
pub fn answers_pipelined_requests_in_order(server: &Target) -> Result<(), Failure> {
    // The slow one first: its answer must still come first.
    let pages = [server.page("/sleep?ms=50"), server.page("/work?n=0"), "/"];
    let host = server.host();
    let request = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let three = pages.map(request);
    if !server.can.keep_alive {
        let mut client = Client::connect(server)?;
        client.send(three.concat())?;
        check_page(server, &client.response()?, TEXT, b"slept 50 ms\n", usual(server))?;
        return client.ends();
    }
    answers_in_turn(server, &three, |number, response| match number {
        0 => check_page(server, response, TEXT, b"slept 50 ms\n", None),
        1 => check_page(server, response, JSON, b"{}", None),
        _ => check_page(server, response, HTML, INDEX, None),
    })?;
    // More than fits into one read.
    let pages = ["/work?n=0", "/work?n=1", "/work?n=2"].map(|ours| server.page(ours));
    let many: Vec<String> = (0..many_pages(server)).map(|n| request(pages[n % 3])).collect();
    answers_in_turn(server, &many, |number, response| {
        check_page(server, response, JSON, site::compute(number as u32 % 3).as_bytes(), None)
    })
}

/// How many pages are asked for together: 500, or fewer where somebody else's page is long, so that time is left for all.
fn many_pages(server: &Target) -> usize {
    let length = match server.pages {
        Pages::Theirs(Some(first)) => first.len(),
        _ => 0,
    };
    (16 * 1024 * 1024 / length.max(1)).clamp(10, 500)
}

/// Sends these requests together, and checks that each is answered in its turn. Somebody else's server may end a connection
/// behind any response that says so: what it has not answered by then is asked again on the next one.
fn answers_in_turn(
    server: &Target,
    requests: &[String],
    check: impl Fn(usize, &Response) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut answered = 0;
    while answered < requests.len() {
        let mut client = Client::connect(server)?;
        client.send(requests[answered..].concat())?;
        while answered < requests.len() {
            let response = client.response()?;
            check(answered, &response)?;
            answered += 1;
            if server.is_theirs() && says_close(&response) {
                client.ends_anyhow()?;
                break;
            }
        }
    }
    Ok(())
}

/// A client of a server that keeps connections may end its own.
pub fn honours_connection_close(server: &Target) -> Result<(), Failure> {
    assert!(server.can.keep_alive, "this is about kept connections");
    // Only our own servers are asked what they make of two options that contradict each other.
    let sensible = ["close", "Close", "TE, close"];
    let all = ["close", "Close", "keep-alive, CLOSE", "close\r\nConnection: keep-alive"];
    for options in if server.is_theirs() { &sensible[..] } else { &all } {
        ends_where_asked(server, options)
            .map_err(|failure| failure.part(format_args!("`Connection: {options}`")))?;
    }
    let host = server.host();
    for options in ["keep-alive", "Keep-Alive, TE", "closed", "upgrade"] {
        let mut client = Client::connect(server)?;
        for _ in 0..2 {
            client
                .send(format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: {options}\r\n\r\n"))?;
            let response = client.response()?;
            check_page(server, &response, HTML, INDEX, None)?;
            client = go_on(client, &response)?;
        }
    }
    Ok(())
}

/// Checks that a kept connection ends behind the response to a request with these options, and that nothing which follows it
/// is answered.
fn ends_where_asked(server: &Target, options: &str) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    client.get("/")?;
    let response = client.response()?;
    check_page(server, &response, HTML, INDEX, None)?;
    let mut client = go_on(client, &response)?;
    let host = server.host();
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: {options}\r\n\r\n");
    if server.is_theirs() {
        client.send(request)?;
        check_page(server, &client.response()?, HTML, INDEX, Some("close"))?;
        // It is closed already, or will be.
        let _ = client.try_send(server.plain_request());
        client.ends_anyhow()
    } else {
        client.send([request.as_bytes(), &server.plain_request()].concat())?;
        check_page(server, &client.response()?, HTML, INDEX, Some("close"))?;
        client.ends()
    }
}

/// What follows a head that announces a body is no request.
pub fn never_takes_a_body_for_a_request(server: &Target) -> Result<(), Failure> {
    // Were it taken for one, this body would be answered.
    let host = server.host();
    let smuggled = &format!("GET /work?n=0 HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let large = smuggled.repeat(200_000 / smuggled.len() + 1);
    let chunked = format!("{:x}\r\n{smuggled}\r\n0\r\n\r\n", smuggled.len());
    let cases = [
        ("POST", format!("Content-Length: {}", smuggled.len()), smuggled.as_str()),
        ("POST", format!("Content-Length: {}", large.len()), &large),
        ("POST", "Transfer-Encoding: chunked".to_owned(), &chunked),
        ("GET", format!("Content-Length: {}", smuggled.len()), smuggled),
        ("GET", format!("Content-Length: {}", large.len()), &large),
        ("GET", "Transfer-Encoding: chunked".to_owned(), &chunked),
        // A client that waits for a "100 Continue" gets the answer instead, and keeps its body.
        ("POST", "Expect: 100-continue\r\nContent-Length: 5".to_owned(), ""),
    ];
    for (method, length, body) in &cases {
        let part = |failure: Failure| failure.part(format_args!("{method} with {length}"));
        let request = format!("{method} / HTTP/1.1\r\nHost: {host}\r\n{length}\r\n\r\n{body}");
        if server.is_theirs() {
            answers_once(server, &request).map_err(part)?;
            continue;
        }
        let outcome = server.conclusive(DRAIN_TIME, || {
            let mut client = Client::connect(server)?;
            client.send(&request)?;
            let response = client.response()?;
            match *method {
                "GET" => check_page(server, &response, HTML, INDEX, Some("close"))?,
                _ => check_head(&response, (405, "Method Not Allowed"), TEXT, Some("close"))?,
            }
            client.ends()
        });
        outcome.map_err(part)?;
    }
    still_answers(server)
}

/// Checks that this gets one response at most, whichever: it may be refused, and the connection may be reset.
fn answers_once(server: &Target, request: &str) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    let _ = client.try_send(request);
    // A second response would follow the first at once.
    let a_while = Duration::from_millis(300);
    if client.response_if_any(true)?.is_ok() && client.hears_within(a_while) {
        let (rest, _) = client.rest()?;
        let wanted = "one response: the body was answered as a request";
        client.ensure(rest.is_empty(), Excerpt::of(&rest), wanted)?;
    }
    Ok(())
}

/// What is no request, or one of another version: each with its name, and how it is refused.
/// `own` is the `Host` of the server.
pub fn refused(own: &str) -> Vec<(&'static str, Vec<u8>, (u16, &'static str))> {
    let to = |start: &str| format!("{start}\r\nHost: {own}\r\n\r\n");
    let with = |line: &str| format!("GET / HTTP/1.1\r\nHost: {own}\r\n{line}\r\n\r\n");
    let host = |value: &str| format!("GET / HTTP/1.1\r\nHost: {value}\r\n\r\n");
    let lines = [
        ("no Host", "GET / HTTP/1.1\r\n\r\n".to_owned()),
        ("an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n".to_owned()),
        ("a fragment", to("GET /#top HTTP/1.1")),
        ("a path with an accent", to("GET /caf\u{e9} HTTP/1.1")),
        ("a query with an accent", to("GET /?q=\u{e9} HTTP/1.1")),
        ("two Hosts", with(&format!("Host: {own}"))),
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
        ("a target with a user", to("GET http://user@a/ HTTP/1.1")),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n".to_owned()),
        ("a folded line", with("X: y\r\n z")),
        ("a line that starts with a space", format!("GET / HTTP/1.1\r\n Host: {own}\r\n\r\n")),
        ("lines that end without CR", format!("GET / HTTP/1.1\nHost: {own}\n\n")),
        ("one line that ends without CR", format!("GET / HTTP/1.1\r\nHost: {own}\nX: y\r\n\r\n")),
        ("an end without CR", format!("GET / HTTP/1.1\r\nHost: {own}\r\n\n")),
        ("a CR inside a line", with("X: a\rb")),
        ("a NUL inside a line", with("X: a\0b")),
        ("a header line without a colon", with("nonsense")),
        ("a header name with brackets", with("X(y): z")),
        ("a header without a name", with(": z")),
        ("one word", "garbage\r\n\r\n".to_owned()),
        ("two words", "GET /\r\n\r\n".to_owned()),
        ("four words", to("GET / index HTTP/1.1")),
        ("a version of letters", to("GET / HTTP/one")),
        ("another protocol", to("GET / ICY/1.1")),
        ("a response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned()),
        ("a target without a slash", to("GET index HTTP/1.1")),
        ("a target of another scheme", to("GET https://a/ HTTP/1.1")),
        ("a target without a host", to("GET http:///x HTTP/1.1")),
        ("GET *", to("GET * HTTP/1.1")),
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
    let malformed = lines.chain([("TLS", hello), ("zeros", vec![0; 1000])]);
    let malformed = malformed.map(|(name, request)| (name, request, (400, "Bad Request")));

    let versions = ["HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0"];
    let versions = versions.map(|it| (it, to(&format!("GET / {it}")).into_bytes()));
    // How a client starts that takes HTTP/2 for granted.
    let hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let others = versions.into_iter().chain([("the start of HTTP/2", hello)]);
    let others = others.map(|(name, request)| (name, request, (505, "HTTP Version Not Supported")));
    malformed.chain(others).collect()
}

/// Two equal lengths say the same thing twice: a server may take them for one (RFC 9110, section 8.6).
pub fn takes_two_equal_lengths_for_one(server: &Target) -> Result<(), Failure> {
    let mut client = Client::connect(server)?;
    let length = "Content-Length: 3\r\n".repeat(2);
    client.send(format!("GET / HTTP/1.1\r\nHost: {}\r\n{length}\r\nabc", server.host()))?;
    check_page(server, &client.response()?, HTML, INDEX, Some("close"))?;
    client.ends()
}

/// Each is refused with its status, or answered as the server's library does.
pub fn refuses_what_is_no_request(server: &Target) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for (name, request, status) in refused(&server.host()) {
        if server.library_refuses() || server.instead(name).is_some() {
            let refusal = format!("{} and close", status.0);
            let refusal = Answer::try_from(refusal).expect("it is an answer");
            failures.extend(
                check_answer(server, name, &request, &server.plain_request(), &refusal).err(),
            );
            continue;
        }
        let mut client = Client::connect(server)?;
        client.send(request)?;
        check_refusal(&mut client, status).map_err(|failure| failure.part(name))?;
    }
    all(server, failures)?;
    still_answers(server)
}

/// A bad request, which every library refuses, behind a good one. What follows it is not answered.
pub fn refuses_what_is_no_request_behind_one(server: &Target) -> Result<(), Failure> {
    assert!(server.can.keep_alive, "this is about kept connections");
    let mut client = Client::connect(server)?;
    let good = server.plain_request();
    let bad = format!("GET / HTTP/1.1\r\nHost : {}\r\n\r\n", server.host());
    client.send([&good, bad.as_bytes(), &good].concat())?;
    check_page(server, &client.response()?, HTML, INDEX, None)?;
    check_refusal(&mut client, (400, "Bad Request"))?;
    still_answers(server)
}

/// `nc` and simple scripts send their request, shut down their half, and read.
pub fn answers_a_client_that_has_finished_sending(server: &Target) -> Result<(), Failure> {
    for (target, kind, body) in routes(server)? {
        let mut client = Client::connect(server)?;
        client.get(target)?;
        client.finish_sending()?;
        check_page(server, &client.response()?, kind, &body, usual(server))?;
        client.ends()?;
    }
    Ok(())
}

/// A client that has sent half a request, or nothing, and shuts down its half.
pub fn closes_where_less_than_a_request_comes(server: &Target) -> Result<(), Failure> {
    let mut half = Client::connect(server)?;
    half.send("GET / HTTP/1.1\r\nHost")?;
    half.finish_sending()?;
    if server.is_theirs() {
        // It may say what is wrong.
        let (answer, _) = half.rest()?;
        let starts: [&[u8]; 2] = [b"HTTP/1.0 2", b"HTTP/1.1 2"];
        let is_page = starts.iter().any(|start| answer.starts_with(start));
        half.ensure(!is_page, Excerpt::of(&answer), "no page for half a request")?;
    } else {
        half.ends()?;
    }
    let mut silent = Client::connect(server)?;
    silent.finish_sending()?;
    silent.ends()
}
