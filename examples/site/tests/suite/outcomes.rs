//! [`Connection`]: what it asks its server to do, and what becomes of the outcome.

use std::{thread, time::Duration};

use crate::common::{GET, answers, close_mode, get, keep_alive_mode, no_such_file, said, writes};
use site::{AcceptErrors, Connection, Response, Step, compute, hello_html, parse};

#[test]
fn a_file_is_read_for_each_request() {
    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    connection.received(&get("/file").repeat(3));
    for contents in ["one", "another", ""] {
        assert_eq!(connection.next_step(), Step::ReadFile(hello_html()));
        connection.file_read(Ok(contents.into()));
        let answer = writes(&mut connection);
        assert!(answer.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"), "{answer}");
        let length = format!("\r\nContent-Length: {}\r\n", contents.len());
        assert!(answer.contains(&length), "{answer}");
        assert!(answer.ends_with(&format!("\r\n\r\n{contents}")), "{answer}");
    }
    let hello = std::fs::read_to_string(hello_html()).expect("the file is part of the package");
    assert!(answers(&said(&site, &get("/file")))[0].ends_with(&hello));
}

#[test]
fn a_file_that_cannot_be_read_is_a_500() {
    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    connection.received(&[&get("/file"), GET].concat());
    assert!(matches!(connection.next_step(), Step::ReadFile(_)));
    connection.file_read(Err(no_such_file()));
    let answer = writes(&mut connection);
    assert!(answer.starts_with("HTTP/1.1 500 Internal Server Error\r\n"), "{answer}");
    // Nothing of the system's words or paths reaches the client.
    assert!(answer.ends_with("\r\n\r\n500 Internal Server Error\n"), "{answer}");
    // The connection is none the worse for it.
    assert!(writes(&mut connection).starts_with("HTTP/1.1 200 OK\r\n"));
}

/// Those whose requests are being served have been accepted while there were descriptors; if then
/// none is left for a file, that will pass and isn't a fault of the site.
#[cfg(unix)]
#[test]
fn a_file_for_which_there_is_no_descriptor_is_a_503_that_says_why() {
    use nix::errno::Errno;

    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    connection.received(&[&get("/file").repeat(3)[..], GET].concat());
    let wrapped = || {
        #[derive(Debug)]
        struct Wrapper(std::io::Error);
        impl std::fmt::Display for Wrapper {
            fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("could not read the file")
            }
        }
        impl std::error::Error for Wrapper {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                Some(&self.0)
            }
        }
        std::io::Error::other(Wrapper(std::io::Error::from(Errno::EMFILE)))
    };
    for error in [Errno::EMFILE.into(), Errno::ENFILE.into(), wrapped()] {
        assert!(matches!(connection.next_step(), Step::ReadFile(_)));
        connection.file_read(Err(error));
        let answer = writes(&mut connection);
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
        assert!(answer.contains("every file that this server may open is open"), "{answer}");
    }
    assert!(writes(&mut connection).starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn computed_work_becomes_the_body() {
    let site = close_mode();
    let mut connection = Connection::new(&site);
    connection.received(&get("/work?n=7"));
    assert_eq!(connection.next_step(), Step::Compute(7));
    connection.computed(compute(7));
    let answer = writes(&mut connection);
    assert!(answer.contains("\r\nContent-Type: application/json\r\n"), "{answer}");
    let body = r#"{"street":"10 Downing Street","city":"Value: 6"}"#;
    assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
}

#[test]
#[should_panic = "no step has asked for work"]
fn a_file_that_nobody_asked_for_is_a_mistake() {
    Connection::new(&close_mode()).file_read(Err(no_such_file()));
}

#[test]
#[should_panic = "no step has asked for work"]
fn a_result_that_nobody_asked_for_is_a_mistake() {
    Connection::new(&close_mode()).computed("x".to_owned());
}

#[test]
#[should_panic = "call ended()"]
fn no_bytes_at_all_are_a_mistake() {
    Connection::new(&close_mode()).received(b"");
}

#[test]
fn every_tenth_request_waits_over_all_connections() {
    let site = keep_alive_mode();
    let mut waited = Vec::new();
    for number in 1..=40 {
        // A separate connection for each, with other pages between.
        let input = [GET, &get("/tenth"), &get("/sleep?ms=0")].concat();
        let steps = said(&site, &input);
        assert!(answers(&steps)[1].contains(&format!("request {number} ")));
        if steps.contains(&Step::Sleep(Duration::from_secs(2))) {
            waited.push(number);
        }
    }
    assert_eq!(waited, [10, 20, 30, 40]);
}

#[test]
fn the_tenth_is_counted_once_by_many_threads() {
    let site = keep_alive_mode();
    let slept = || {
        let steps = said(&site, &get("/tenth?ms=1").repeat(100));
        steps.iter().filter(|step| matches!(step, Step::Sleep(_))).count()
    };
    let total: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(slept)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(total, 80);
}

/// The compiler warns about each of these lines. Where it doesn't, it warns about the expectation.
#[test]
#[deny(unfulfilled_lint_expectations)]
fn what_a_server_drops_it_is_warned_of() {
    let site = keep_alive_mode();
    let mut connection = Connection::new(&site);
    connection.received(GET);
    #[expect(unused_must_use, reason = "an answer is lost")]
    connection.next_step();
    #[expect(unused_must_use, reason = "a loop would spin")]
    AcceptErrors::new().pause_after(&no_such_file());
    #[expect(unused_must_use, reason = "a request is lost")]
    parse(GET);
    #[expect(unused_must_use, reason = "a client is refused without a word")]
    Response::not_found();
}
