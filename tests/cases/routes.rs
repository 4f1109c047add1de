//! The routes: what each answers, in both kinds of connection, and what is refused.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{
    HTML, INDEX, JSON, TEXT, Target, ask, check_head, check_header, check_ok, check_page, go_on,
    next_number, number, routes, says_close, still_answers, usual,
};
use crate::{Client, Failure, Response, ensure};

/// Each route has its status, its kind of content and its body.
pub fn answers_every_route(server: &Target) -> Result<(), Failure> {
    for (target, kind, body) in routes(server)? {
        let start = Instant::now();
        let response = ask(server, target)?;
        check_ok(&response, kind, &body, usual(server))?;
        let has_waited = target != "/sleep" || start.elapsed() >= Duration::from_millis(100);
        response.ensure(has_waited, "a wait of 100 ms")?;
    }
    assert!(site::compute(3).contains("Value: 2"), "the last of three rounds");
    Ok(())
}

/// `HEAD` gets the head of the response to `GET`, and no body.
pub fn answers_head(server: &Target) -> Result<(), Failure> {
    let host = server.host();
    let head = |target: &str| format!("HEAD {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    // The same answer without its body: the length is that of the body left out.
    for (target, kind, body) in routes(server)? {
        let mut client = Client::connect(server)?;
        client.send(head(target))?;
        let response = client.response_to_head()?;
        if server.is_theirs() {
            response.ensure(response.status == 200, "a 200")?;
        } else {
            check_head(&response, (200, "OK"), kind, usual(server))?;
            check_header(&response, "Content-Length", Some(&body.len().to_string()))?;
        }
        if server.can.keep_alive {
            // A body would now be in the way of the next response.
            let mut client = go_on(client, &response)?;
            client.get(server.page("/work?n=0"))?;
            check_page(server, &client.response()?, JSON, b"{}", None)?;
        } else {
            client.ends()?;
        }
    }
    if server.is_theirs() {
        return Ok(());
    }
    for (target, status) in [("/nowhere", 404), ("/sleep?ms=x", 400)] {
        let mut client = Client::connect(server)?;
        client.send(head(target))?;
        let response = client.response_to_head()?;
        response.ensure(response.status == status, format_args!("a {status}"))?;
        let has_length = response.header("Content-Length") != Some("0");
        response.ensure(has_length, "the length of the body that is left out")?;
        if !server.can.keep_alive {
            client.ends()?;
        }
    }
    Ok(())
}

/// A server that keeps connections answers one request after the other.
pub fn keeps_a_connection(server: &Target) -> Result<(), Failure> {
    assert!(server.can.keep_alive, "this is about kept connections");
    // Before there is a connection that holds a server's only thread.
    let routes = routes(server)?;
    let mut client = Client::connect(server)?;
    let many = (0..20).map(|_| ("/", HTML, INDEX.to_vec()));
    for (target, kind, body) in many.chain(routes) {
        client.get(target)?;
        let response = client.response()?;
        check_page(server, &response, kind, &body, None)?;
        client = go_on(client, &response)?;
    }
    Ok(())
}

/// A server that keeps no connection says so, and ends it.
pub fn closes_a_connection(server: &Target) -> Result<(), Failure> {
    assert!(!server.can.keep_alive, "this is about a connection for each request");
    for (target, kind, body) in routes(server)? {
        let mut client = Client::connect(server)?;
        client.get(target)?;
        let response = client.response()?;
        check_page(server, &response, kind, &body, Some("close"))?;
        response.ensure(says_close(&response), "the line `Connection: close`")?;
        client.ends()?;
    }
    // A client that was told of the end, and keeps its own side open, costs nobody the server.
    let mut lingering = Client::connect(server)?;
    lingering.get("/")?;
    check_page(server, &lingering.response()?, HTML, INDEX, Some("close"))?;
    still_answers(server)?;
    lingering.ends()
}

/// One atomic counter for all connections: each number is given once, and each tenth waits.
pub fn counts_every_tenth_request_over_all_connections(server: &Target) -> Result<(), Failure> {
    let ms = 30;
    let first = next_number(server)?;
    let ask = || {
        let start = Instant::now();
        let response = ask(server, &format!("/tenth?ms={ms}"))?;
        check_head(&response, (200, "OK"), TEXT, usual(server))?;
        Ok((response, start.elapsed()))
    };
    let asks = || (0..5).map(|_| ask()).collect::<Result<Vec<_>, Failure>>();
    let mut answers: Vec<(Response, Duration)> = Vec::new();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(asks)).collect();
        for client in clients {
            answers.extend(client.join().expect("no client panics")?);
        }
        Ok(())
    })?;
    answers.sort_by_key(|(response, _)| number(response.text()));
    for (expected, (response, elapsed)) in (first..).zip(&answers) {
        let text = match expected % 10 {
            0 => format!("request {expected} waited {ms} ms\n"),
            _ => format!("request {expected} did not wait\n"),
        };
        response.ensure(response.text() == text, format_args!("the body {text:?}"))?;
        let has_waited = expected % 10 > 0 || *elapsed >= Duration::from_millis(ms);
        response.ensure(has_waited, format_args!("a wait of {ms} ms, and not of {elapsed:?}"))?;
    }
    Ok(())
}

/// Checks that these methods get a 405 on every route.
fn refuses(server: &Target, methods: &[&str]) -> Result<(), Failure> {
    let host = server.host();
    for method in methods {
        for target in ["/", "/sleep", "/tenth", "/file", "/work"] {
            let mut client = Client::connect(server)?;
            client.send(format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"))?;
            let response = client.response()?;
            check_head(&response, (405, "Method Not Allowed"), TEXT, usual(server))?;
        }
    }
    Ok(())
}

/// A method is any word of certain letters (RFC 9110, section 9.1), and its letters have a case.
pub fn refuses_methods_that_nobody_has_registered(server: &Target) -> Result<(), Failure> {
    refuses(server, &["BREW", "get"])
}

/// A route knows `GET` and `HEAD`, and says so to whoever uses another method.
pub fn refuses_other_methods(server: &Target) -> Result<(), Failure> {
    let next = next_number(server)? + 1;
    refuses(server, &["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])?;
    let mut client = Client::connect(server)?;
    let host = server.host();
    client.send(format!("OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n"))?;
    check_head(&client.response()?, (405, "Method Not Allowed"), TEXT, usual(server))?;
    // Of a request without a body, everything has been read: such a connection may go on.
    if server.can.keep_alive {
        client.send(format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"))?;
        check_head(&client.response()?, (405, "Method Not Allowed"), TEXT, None)?;
        client.get("/")?;
        check_ok(&client.response()?, HTML, INDEX, None)?;
    }
    drop(client);
    // The counter of /tenth counts requests that were answered, not ones that were refused.
    let number = next_number(server)?;
    ensure(number == next, number, format_args!("{next}: a refused request was counted"))
}

/// Paths that the site does not have, and parameters that its routes do not take.
pub fn refuses_other_paths_and_parameters(server: &Target) -> Result<(), Failure> {
    let not_found = (404, "Not Found");
    let bad = (400, "Bad Request");
    let ms = "ms must be a whole number from 0 to 10000";
    let n = "n must be a whole number from 0 to 100000";
    let cases = [
        ("/nowhere", not_found, "404 Not Found"),
        ("/sleep/", not_found, "404 Not Found"),
        ("//", not_found, "404 Not Found"),
        ("/SLEEP", not_found, "404 Not Found"),
        ("/favicon.ico", not_found, "404 Not Found"),
        ("/../Cargo.toml", not_found, "404 Not Found"),
        ("/panic", not_found, "404 Not Found"),
        ("/sleep?ms=10001", bad, ms),
        ("/sleep?ms=", bad, ms),
        ("/sleep?ms=-1", bad, ms),
        ("/sleep?ms=+1", bad, ms),
        ("/sleep?ms=1.5", bad, ms),
        ("/sleep?ms=soon", bad, ms),
        ("/sleep?ms=99999999999999999999999", bad, ms),
        ("/tenth?ms=10001", bad, ms),
        ("/work?n=100001", bad, n),
        ("/work?n=ten", bad, n),
    ];
    for (target, status, words) in cases {
        let mut client = Client::connect(server)?;
        client.get(target)?;
        let response = client.response()?;
        check_head(&response, status, TEXT, usual(server))?;
        let start = format!("{} {}", status.0, status.1);
        let starts = response.text().starts_with(&start);
        response.ensure(starts, format_args!("a body that begins with {start:?}"))?;
        let has_words = response.text().contains(words);
        response.ensure(has_words, format_args!("{words:?} in the body"))?;
        if server.can.keep_alive {
            client.get("/")?;
            check_ok(&client.response()?, HTML, INDEX, None)?;
        } else {
            client.ends()?;
        }
    }
    Ok(())
}
