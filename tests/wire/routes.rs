//! The routes: what each answers, in both kinds of connection, and what is refused.

use std::{
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{Client, Rung, Server, for_each_server};

use crate::{HTML, INDEX, JSON, TEXT, ask, check_head, check_ok, routes, still_answers, usual};

for_each_server! {
    smoke: [answers_every_route, keeps_a_connection, refuses_other_paths]
    every: [
        answers_head,
        closes_a_connection,
        counts_every_tenth_request_over_all_connections,
        refuses_other_methods,
        refuses_methods_that_nobody_has_registered,
        refuses_bad_parameters,
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

/// Checks that these methods get a 405 on every route.
#[track_caller]
fn refuses(server: &Server, methods: &[&str]) {
    for method in methods {
        for target in ["/", "/sleep", "/tenth", "/file", "/work"] {
            let mut client = Client::connect(server);
            client.send(format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
            let response = client.response();
            check_head(&response, (405, "Method Not Allowed"), TEXT, usual(server));
        }
    }
}

/// A method is any word of certain letters (RFC 9110, section 9.1), and its letters have a case.
fn refuses_methods_that_nobody_has_registered(rung: Rung) {
    rung.in_both_modes(|server| refuses(server, &["BREW", "get"]));
}

fn refuses_other_methods(rung: Rung) {
    rung.in_both_modes(|server| {
        refuses(server, &["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"]);
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
