//! [`Connection`]: the steps it asks for, in both connection modes.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::common::{
    End, GET, answers, close_mode, codes, drains, get, keep_alive_mode, reads_within, said, talk,
    writes,
};
use site::{Connection, DRAIN_LIMIT, DRAIN_TIME, HEAD_LIMIT, HEAD_TIME, Step};

#[test]
fn one_request_in_close_mode() {
    let site = close_mode();
    let mut connection = Connection::new(&site);
    assert!(connection.is_idle());
    reads_within(&mut connection, HEAD_TIME);
    connection.received(&GET[..5]);
    assert!(!connection.is_idle());
    reads_within(&mut connection, HEAD_TIME);
    connection.received(&GET[5..]);
    let answer = writes(&mut connection);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
    drains(&mut connection);
    connection.ended();
    assert_eq!(connection.next_step(), Step::Close);
    // It stays closed.
    assert_eq!(connection.next_step(), Step::Close);
    assert!(!connection.is_idle());
}

#[test]
fn close_mode_answers_only_the_first_of_pipelined_requests() {
    let site = close_mode();
    for wish in ["", "Connection: keep-alive\r\n"] {
        let one = format!("GET /tenth HTTP/1.1\r\nHost: a\r\n{wish}\r\n").into_bytes();
        let steps = said(&site, &one.repeat(3));
        assert_eq!(codes(&steps), [200]);
        assert_eq!(steps[1..], [Step::FinishWriting, Step::Close]);
    }
    // The requests behind the first were thrown away, not carried out.
    assert!(answers(&said(&site, &get("/tenth")))[0].contains("request 3 did not wait"));
}

#[test]
fn keep_alive_mode_answers_pipelined_requests_in_order() {
    let site = keep_alive_mode();
    let input = [get("/sleep?ms=1"), get("/nothing"), get("/tenth"), get("/work?n=1")].concat();
    let steps = said(&site, &input);
    assert_eq!(codes(&steps), [200, 404, 200, 200]);
    assert_eq!(steps[0], Step::Sleep(Duration::from_millis(1)));
    let answers = answers(&steps);
    for (answer, part) in answers.iter().zip(["slept 1 ms", "404", "request 1", "Value: 0"]) {
        assert!(answer.contains(part), "{answer}");
        assert!(!answer.contains("Connection:"), "{answer}");
    }
    // The client left between two requests: there is nothing to finish.
    assert_eq!(steps.last(), Some(&Step::Close));
    assert!(!steps.contains(&Step::FinishWriting));
}

#[test]
fn keep_alive_mode_gives_each_request_its_own_time() {
    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    for _ in 0..3 {
        reads_within(&mut connection, HEAD_TIME);
        assert!(connection.is_idle());
        connection.received(GET);
        assert!(writes(&mut connection).starts_with("HTTP/1.1 200 OK\r\n"));
        // The answer may still be on its way.
        assert!(!connection.is_idle());
    }
    reads_within(&mut connection, HEAD_TIME);
    assert!(connection.is_idle());
    connection.timed_out();
    assert_eq!(connection.next_step(), Step::Close);
}

#[test]
fn a_client_may_ask_for_the_close() {
    let site = keep_alive_mode();
    let last = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".as_slice();
    let steps = said(&site, &[GET, last, GET].concat());
    assert_eq!(codes(&steps), [200, 200]);
    assert!(!answers(&steps)[0].contains("Connection:"));
    assert!(answers(&steps)[1].contains("\r\nConnection: close\r\n"));
    assert_eq!(steps[2..], [Step::FinishWriting, Step::Close]);
}

#[test]
fn http_1_0_is_kept_alive_only_when_asked_for() {
    let plain = b"GET / HTTP/1.0\r\n\r\n".as_slice();
    let asking = b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".as_slice();

    let steps = said(&keep_alive_mode(), &plain.repeat(2));
    assert_eq!(codes(&steps), [200]);
    assert!(answers(&steps)[0].contains("\r\nConnection: close\r\n"));

    let steps = said(&keep_alive_mode(), &[asking, asking, plain, asking].concat());
    assert_eq!(codes(&steps), [200, 200, 200]);
    assert!(answers(&steps)[0].contains("\r\nConnection: keep-alive\r\n"));
    assert!(answers(&steps)[1].contains("\r\nConnection: keep-alive\r\n"));
    assert!(answers(&steps)[2].contains("\r\nConnection: close\r\n"));

    let steps = said(&close_mode(), &asking.repeat(2));
    assert_eq!(codes(&steps), [200]);
    assert!(answers(&steps)[0].contains("\r\nConnection: close\r\n"));
    // The server always names its own version (RFC 9110, section 6.2).
    assert!(answers(&steps)[0].starts_with("HTTP/1.1 "));
}

#[test]
fn head_gets_the_same_head_without_the_body() {
    for target in ["/", "/sleep?ms=1", "/file", "/work?n=3", "/nothing", "/sleep?ms=x"] {
        let ask = |method: &str| {
            let head = format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n");
            said(&keep_alive_mode(), head.as_bytes())
        };
        let get = ask("GET");
        let head = ask("HEAD");
        assert_eq!(get.len(), head.len(), "the same work is done for both");
        let get = &answers(&get)[0];
        let head = &answers(&head)[0];
        let (get_head, body) = get.split_once("\r\n\r\n").expect("the head ends");
        assert!(!body.is_empty());
        assert_eq!(head, &format!("{get_head}\r\n\r\n"), "{target}");
    }
}

#[test]
fn a_body_is_never_taken_for_the_next_request() {
    let smuggled = std::str::from_utf8(GET).expect("ASCII");
    for (line, body) in [
        (format!("Content-Length: {}", smuggled.len()), smuggled.to_owned()),
        ("Content-Length: 1000".to_owned(), smuggled.to_owned()),
        (
            "Transfer-Encoding: chunked".to_owned(),
            format!("{:x}\r\n{smuggled}\r\n0\r\n\r\n", smuggled.len()),
        ),
    ] {
        for (method, code) in [("POST", 405), ("GET", 200)] {
            let input = format!("{method} / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n{body}{smuggled}");
            let steps = said(&keep_alive_mode(), input.as_bytes());
            assert_eq!(codes(&steps), [code], "{input}");
            assert!(answers(&steps)[0].contains("\r\nConnection: close\r\n"));
            assert_eq!(steps[1..], [Step::FinishWriting, Step::Close]);
        }
    }
    // The answer does not wait for the body.
    let head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(codes(&talk(Connection::new(&keep_alive_mode()), [&head[..]], End::Silence)), [405]);
    // A length of zero is no body, and the connection can stay.
    let none = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(codes(&said(&keep_alive_mode(), &[none, GET].concat())), [405, 200]);
}

#[test]
fn other_methods_are_told_which_ones_work() {
    let site = keep_alive_mode();
    for (line, code) in [
        ("POST /", 405),
        ("DELETE /sleep", 405),
        ("PUT /tenth", 405),
        ("POST /file", 405),
        ("TRACE /work", 405),
        ("OPTIONS *", 405),
        ("POST /nothing", 404),
    ] {
        let steps = said(&site, format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        // No work was done for it.
        assert_eq!(steps.len(), 2, "{line}: {steps:?}");
        assert_eq!(codes(&steps), [code], "{line}");
        let allows = answers(&steps)[0].contains("\r\nAllow: GET, HEAD\r\n");
        assert_eq!(allows, code == 405, "{line}");
    }
    // None of them counted.
    assert!(answers(&said(&site, &get("/tenth")))[0].contains("request 1 did not wait"));
}

#[test]
fn half_a_request_gets_a_408_when_the_time_is_over() {
    for site in [close_mode(), keep_alive_mode()] {
        let mut connection = Connection::new(&site);
        reads_within(&mut connection, HEAD_TIME);
        connection.received(b"GET / HT");
        reads_within(&mut connection, HEAD_TIME);
        connection.timed_out();
        let answer = writes(&mut connection);
        assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
        assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
        drains(&mut connection);
        connection.timed_out();
        assert_eq!(connection.next_step(), Step::Close);
    }
}

#[test]
fn a_client_that_says_nothing_is_left_without_a_word() {
    for site in [close_mode(), keep_alive_mode()] {
        assert_eq!(talk(Connection::new(&site), [], End::Silence), [Step::Close]);
        assert_eq!(talk(Connection::new(&site), [], End::Eof), [Step::Close]);
    }
    // The same holds for one that leaves in the middle: it does not wait for an answer.
    assert_eq!(said(&close_mode(), b"GET / HT"), [Step::Close]);
    assert_eq!(said(&keep_alive_mode(), &[GET, b"GET"].concat()).last(), Some(&Step::Close));
}

/// Asserts the limits themselves, with a client that always has one more byte.
///
/// The only tests of this package that wait: the machine reads the real clock.
#[test]
fn time_limits_hold_while_bytes_keep_coming() {
    let site = close_mode();

    let mut head = Connection::new(&site);
    reads_within(&mut head, HEAD_TIME);
    head.received(b"GET / HTTP/1.1\r\n");

    let mut drain = Connection::new(&site);
    drain.received(GET);
    writes(&mut drain);
    drains(&mut drain);

    let mut late = Connection::new(&site);
    reads_within(&mut late, HEAD_TIME);
    late.received(b"GET / HTTP/1.1\r\n");

    thread::sleep(DRAIN_TIME.max(HEAD_TIME) + Duration::from_millis(1));

    head.received(b"H");
    assert!(writes(&mut head).starts_with("HTTP/1.1 408 Request Timeout\r\n"));

    drain.received(b"x");
    assert_eq!(drain.next_step(), Step::Close);

    // The clock is asked only where more would have to come: a request that is whole gets its answer.
    late.received(b"Host: a\r\n\r\n");
    assert!(writes(&mut late).starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn refusals_close_the_connection() {
    let too_long = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; HEAD_LIMIT]].concat();
    for (input, code) in [
        (b"GET / HTTP/1.1\r\n\r\n".as_slice(), 400),
        (b"GET / HTTP/3.0\r\n\r\n", 505),
        (&too_long, 431),
        (b"\x16\x03\x01", 400),
    ] {
        let steps = said(&keep_alive_mode(), &[GET, input, GET].concat());
        assert_eq!(codes(&steps), [200, code]);
        let answer = &answers(&steps)[1];
        assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
        assert_eq!(steps[2..], [Step::FinishWriting, Step::Close]);
    }
}

#[test]
fn a_refused_head_gets_no_body_either() {
    let too_long = [b"HEAD / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; HEAD_LIMIT]].concat();
    for (input, code) in [
        (b"HEAD / HTTP/1.1\r\n\r\n".as_slice(), 400),
        (b"\r\nHEAD / HTTP/3.0\r\n\r\n", 505),
        (&too_long, 431),
    ] {
        let steps = said(&keep_alive_mode(), input);
        assert_eq!(codes(&steps), [code]);
        assert!(answers(&steps)[0].ends_with("\r\n\r\n"), "{}", answers(&steps)[0]);
    }
}

#[test]
fn drains_what_comes_after_the_answer_up_to_a_limit() {
    let site = close_mode();
    let finished = || {
        let mut connection = Connection::new(&site);
        connection.received(GET);
        writes(&mut connection);
        drains(&mut connection);
        connection
    };

    // The time limit must not come in between: on a machine that stalls, try again.
    for attempt in 1.. {
        let started = Instant::now();
        let mut connection = finished();
        let mut steps = Vec::new();
        for _ in 0..DRAIN_LIMIT / 4096 - 1 {
            connection.received(&[b'x'; 4096]);
            steps.push(connection.next_step());
        }
        connection.received(&[b'x'; 4095]);
        steps.push(connection.next_step());
        if started.elapsed() < DRAIN_TIME {
            assert!(steps.iter().all(|step| matches!(step, Step::Read { .. })), "{steps:?}");
            connection.received(b"x");
            assert_eq!(connection.next_step(), Step::Close);
            break;
        }
        assert!(attempt < 60, "this machine never drains {DRAIN_LIMIT} bytes in {DRAIN_TIME:?}");
    }

    let mut connection = finished();
    connection.received(&vec![b'x'; DRAIN_LIMIT + 1]);
    assert_eq!(connection.next_step(), Step::Close);

    // What is drained is not looked at: this would have been a request.
    let mut connection = finished();
    connection.received(GET);
    assert!(!matches!(connection.next_step(), Step::Write(_)));
    connection.timed_out();
    assert_eq!(connection.next_step(), Step::Close);
}

/// A client that reads slowly has its five seconds for the next request even so.
#[test]
fn a_kept_connection_is_idle_from_the_end_of_its_answer() {
    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    connection.received(GET);
    writes(&mut connection);
    // The write takes this long.
    thread::sleep(Duration::from_millis(100));
    let written = Instant::now();
    let Step::Read { within } = connection.next_step() else { panic!("a kept connection reads") };
    assert!(within >= HEAD_TIME - written.elapsed(), "{within:?}");
}

#[test]
fn a_site_that_closes_ends_its_connections_with_their_next_answer() {
    let site = keep_alive_mode();
    let mut busy = Connection::new(&site);
    busy.received(&[GET, &get("/sleep?ms=1"), GET].concat());
    assert!(!writes(&mut busy).contains("Connection:"));
    assert!(matches!(busy.next_step(), Step::Sleep(_)));
    site.start_closing();
    // It was asleep when the news came, but it can still tell the client.
    assert!(writes(&mut busy).contains("\r\nConnection: close\r\n"));
    drains(&mut busy);

    let steps = said(&site, &GET.repeat(2));
    assert_eq!(codes(&steps), [200]);
    assert!(answers(&steps)[0].contains("\r\nConnection: close\r\n"));
}

#[test]
fn the_panic_route_is_off_by_default() {
    assert_eq!(codes(&said(&close_mode(), &get("/panic"))), [404]);
}
