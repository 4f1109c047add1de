//! [`Site::route`]: each page, its parameters and their limits.

use std::time::Duration;

use site::{Method, Request, Response, Site, Version, Work, compute, hello_html};

fn route(site: &Site, method: Method, target: &str) -> (Work, Response) {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    site.route(&Request {
        method,
        path: path.to_owned(),
        query,
        version: Version::Http11,
        keep_alive: true,
        has_body: false,
    })
}

fn get(target: &str) -> (Work, Response) {
    route(&Site::default(), Method::Get, target)
}

fn body(answer: &Response) -> &str {
    std::str::from_utf8(&answer.body).expect("the site's pages are UTF-8")
}

#[track_caller]
fn sleeps(target: &str, ms: u64) {
    let (work, answer) = get(target);
    assert_eq!(work, Work::Sleep(Duration::from_millis(ms)), "{target}");
    assert_eq!(body(&answer), format!("slept {ms} ms\n"), "{target}");
    assert_eq!(answer.status.code, 200, "{target}");
}

#[track_caller]
fn is_bad(target: &str, complaint: &str) {
    let (work, answer) = get(target);
    assert_eq!(work, Work::None, "{target}");
    assert_eq!(answer.status.code, 400, "{target}");
    assert_eq!(body(&answer), format!("400 Bad Request: {complaint}\n"), "{target}");
}

#[test]
fn the_front_page_links_to_the_others() {
    let (work, answer) = get("/");
    assert_eq!((work, answer.status.code), (Work::None, 200));
    assert_eq!(answer.content_type, "text/html; charset=utf-8");
    for page in ["/sleep", "/tenth", "/file", "/work"] {
        assert!(body(&answer).contains(&format!("href=\"{page}\"")), "{page}");
        assert_eq!(get(page).1.status.code, 200, "{page}");
    }
    // A parameter that no page knows has no effect.
    assert_eq!(get("/?utm_source=a").1, answer);
}

#[test]
fn sleep_takes_milliseconds() {
    sleeps("/sleep", 100);
    sleeps("/sleep?", 100);
    sleeps("/sleep?ms=0", 0);
    sleeps("/sleep?ms=007", 7);
    sleeps("/sleep?ms=10000", 10_000);
    // The first counts; a name that only begins like it does not.
    sleeps("/sleep?a=b&ms=5&ms=6", 5);
    sleeps("/sleep?msx=1&xms=2&ms", 100);
    for digits in ["", "-1", "+1", "1.5", " 1", "1s", "10001", "18446744073709551616", "%31", "x"] {
        is_bad(&format!("/sleep?ms={digits}"), "ms must be a whole number from 0 to 10000");
    }
}

#[test]
fn tenth_waits_every_tenth_time() {
    let site = Site::default();
    for number in 1..=30 {
        let target = if number == 20 { "/tenth?ms=7" } else { "/tenth" };
        let (work, answer) = route(&site, Method::Get, target);
        let ms = if number == 20 { 7 } else { 2000 };
        let (expected, text) = if number % 10 == 0 {
            let text = format!("request {number} waited {ms} ms\n");
            (Work::Sleep(Duration::from_millis(ms)), text)
        } else {
            (Work::None, format!("request {number} did not wait\n"))
        };
        assert_eq!(work, expected);
        assert_eq!(body(&answer), text);
    }
    is_bad("/tenth?ms=10001", "ms must be a whole number from 0 to 10000");
}

#[test]
fn only_answered_requests_count_as_tenths() {
    let site = Site::default();
    for target in ["/tenth?ms=x", "/tenth/", "/sleep", "/"] {
        let _ = route(&site, Method::Get, target);
    }
    let _ = route(&site, Method::Other, "/tenth");
    // HEAD is a request like any other.
    assert_eq!(body(&route(&site, Method::Head, "/tenth").1), "request 1 did not wait\n");
    assert_eq!(body(&route(&site, Method::Get, "/tenth").1), "request 2 did not wait\n");
}

#[test]
fn file_asks_for_its_file() {
    let (work, answer) = get("/file");
    assert_eq!(work, Work::ReadFile(hello_html()));
    assert_eq!(answer.content_type, "text/html; charset=utf-8");
    assert!(answer.body.is_empty());
    // No part of a request chooses a file.
    for target in ["/file/../../Cargo.toml", "/file/", "/hello.html", "/file%2e", "/../etc/passwd"]
    {
        assert_eq!(get(target).1.status.code, 404, "{target}");
    }
}

#[test]
fn work_takes_rounds() {
    for (target, rounds) in [("/work", 100), ("/work?n=0", 0), ("/work?n=100000", 100_000)] {
        let (work, answer) = get(target);
        assert_eq!(work, Work::Compute(rounds), "{target}");
        assert_eq!(answer.content_type, "application/json");
    }
    for digits in ["", "-1", "100001", "4294967296", "1e3"] {
        is_bad(&format!("/work?n={digits}"), "n must be a whole number from 0 to 100000");
    }
}

#[test]
fn work_computes_the_json_of_the_last_round() {
    assert_eq!(compute(0), "{}");
    assert_eq!(compute(1), r#"{"street":"10 Downing Street","city":"Value: 0"}"#);
    assert_eq!(compute(100), r#"{"street":"10 Downing Street","city":"Value: 99"}"#);
}

#[test]
fn other_paths_are_not_found() {
    for target in ["/nothing", "/sleep/", "/Sleep", "//", "/index.html", "/%73leep", "/panic", ""] {
        for method in [Method::Get, Method::Head, Method::Other] {
            let (work, answer) = route(&Site::default(), method, target);
            assert_eq!((work, answer.status.code), (Work::None, 404), "{target}");
            assert!(body(&answer).contains("/sleep, /tenth, /file and /work"));
        }
    }
}

#[test]
fn other_methods_are_not_allowed() {
    for target in ["/", "/sleep", "/tenth", "/file", "/work", "*", "/sleep?ms=x"] {
        let (work, answer) = route(&Site::default(), Method::Other, target);
        assert_eq!((work, answer.status.code), (Work::None, 405), "{target}");
    }
}
