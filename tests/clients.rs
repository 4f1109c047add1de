//! Clients that people really use accept every response of every rung.

use std::{fs, process::Command};

use ladder_tests::{
    DEADLINE, Failure, On, Plain, Rung, Schedule, Server, Trials, have, root, run, tests,
};
use serde_json::Value;

/// Lists the tests of this module.
pub fn list(trials: &mut Trials) {
    trials.add(On::Every, Plain::Ladder, tests![curl]);
    trials.add(On::Every, Plain::One, tests![python_http_client, node_fetch]);
}

/// A path, and what it answers to a `GET`: status, kind of content, body (or its start, if it ends in "...").
type Page = (&'static str, u16, &'static str, String);

fn pages() -> Vec<Page> {
    let html = "text/html; charset=utf-8";
    let text = "text/plain; charset=utf-8";
    let file = fs::read_to_string(site::hello_html()).expect("the site has its file");
    vec![
        ("/", 200, html, include_str!("../examples/site/index.html").to_owned()),
        ("/sleep?ms=5", 200, text, "slept 5 ms\n".to_owned()),
        ("/tenth", 200, text, "request 1 did not wait\n".to_owned()),
        ("/file", 200, html, file),
        ("/work?n=7", 200, "application/json", site::compute(7)),
        ("/nowhere", 404, text, "404 Not Found...".to_owned()),
        ("/sleep?ms=never", 400, text, "400 Bad Request...".to_owned()),
    ]
}

#[track_caller]
fn check_body(body: &str, expected: &str) {
    match expected.strip_suffix("...") {
        Some(start) => assert!(body.starts_with(start), "{start:?}, and {body:?} came"),
        None => assert_eq!(body, expected),
    }
}

/// Runs a script that asks for these pages with `GET` and `HEAD`, and checks what it understood.
fn check_script(server: &Server, program: &str, script: &str, pages: &[Page]) -> Vec<Value> {
    let script = root().join("tests/clients").join(script);
    let host = server.address.ip().to_string();
    let port = server.address.port().to_string();
    let mut command = Command::new(program);
    command.arg(script).args([host, port]).args(pages.iter().map(|(path, ..)| path));
    let finished = run(&mut command, 3 * DEADLINE);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
    let answers: Vec<Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("the script prints JSON"))
        .collect();
    assert_eq!(answers.len(), 2 * pages.len(), "{answers:?}");

    for ((path, status, kind, body), answers) in pages.iter().zip(answers.chunks(2)) {
        for (method, answer) in ["GET", "HEAD"].into_iter().zip(answers) {
            assert_eq!(answer["method"], method);
            assert_eq!(answer["path"], *path);
            assert_eq!(answer["status"], *status, "{answer}");
            let headers = &answer["headers"];
            assert_eq!(headers["content-type"], *kind, "{answer}");
            assert!(headers["date"].is_string(), "{answer}");
            // Node asks for the end of the connection with each HEAD.
            if program != "node" || method != "HEAD" {
                let closes = headers["connection"] == "close";
                assert_eq!(closes, !server.can.keep_alive, "{answer}");
            }
            let read = answer["body"].as_str().expect("a body, if an empty one");
            let length: usize = headers["content-length"]
                .as_str()
                .and_then(|digits| digits.parse().ok())
                .unwrap_or_else(|| panic!("no Content-Length in {answer}"));
            match method {
                "GET" => {
                    check_body(read, body);
                    assert_eq!(length, read.len(), "{answer}");
                }
                _ => assert_eq!(read, "", "{answer}"),
            }
        }
        let lengths = answers.iter().map(|answer| &answer["headers"]["content-length"]);
        let lengths: Vec<&Value> = lengths.collect();
        assert!(lengths[0] == lengths[1] || *path == "/tenth", "GET and HEAD differ: {answers:?}");
    }
    answers
}

fn python_http_client(rung: Rung) -> Result<(), Failure> {
    // On Windows the launcher of Python 3 is called python.
    let program = if cfg!(windows) { "python" } else { "python3" };
    if !have("python3") {
        return Ok(());
    }
    rung.in_both_modes(|server| {
        let answers = check_script(server, program, "fetch.py", &pages());
        let sockets = &answers.last().expect("there are answers")["socket"];
        let expected = if server.can.keep_alive { 1 } else { answers.len() };
        assert_eq!(*sockets, expected, "how many connections {} answers took", answers.len());
        for answer in &answers {
            assert_eq!(answer["version"], 11, "{answer}");
        }
        Ok(())
    })
}

fn node_fetch(rung: Rung) -> Result<(), Failure> {
    if !have("node") {
        return Ok(());
    }
    rung.in_both_modes(|server| {
        let mut pages = pages();
        // Node opens a second connection while it keeps the first one idle, for four seconds.
        // Rung 1 serves one at a time, so it answers each of them only then.
        if rung.schedule == Schedule::OneThread && server.can.keep_alive {
            pages.truncate(1);
        }
        check_script(server, "node", "fetch.mjs", &pages);
        Ok(())
    })
}

fn curl(rung: Rung) -> Result<(), Failure> {
    if !have("curl") {
        return Ok(());
    }
    let curl = || {
        let mut command = Command::new("curl");
        // No settings of the person who runs this, no proxy, no progress, a deadline.
        command.args(["-q", "--noproxy", "*", "--silent", "--show-error", "--max-time", "20"]);
        command
    };
    rung.in_both_modes(|server| {
        for (path, status, kind, body) in pages() {
            let wanted = "\n%{http_code} %{http_version} %{content_type}";
            let mut command = curl();
            command.args(["--write-out", wanted, &server.url(path)]);
            let finished = run(&mut command, 2 * DEADLINE);
            assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
            let (read, written) = finished.stdout.rsplit_once('\n').expect("two parts");
            assert_eq!(written, format!("{status} 1.1 {kind}"));
            check_body(read, &body);
        }
        // HEAD, and curl's own check that nothing but the head comes.
        let finished = run(curl().args(["--head", &server.url("/file")]), 2 * DEADLINE);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
        assert!(finished.stdout.starts_with("HTTP/1.1 200 OK\r\n"), "{finished:?}");
        // A body, for which curl announces itself if it is a large one.
        for length in [10, 200_000] {
            let file = std::env::temp_dir().join(format!("ladder-{}-{length}", server.id()));
            fs::write(&file, vec![b'x'; length]).expect("a temporary file can be written");
            let mut data = std::ffi::OsString::from("@");
            data.push(&file);
            let mut command = curl();
            command.arg("--data-binary").arg(data);
            command.args(["--output", "-", "--write-out", "%{http_code}", &server.url("/")]);
            let finished = run(&mut command, 2 * DEADLINE);
            let _ = fs::remove_file(&file);
            assert_eq!(finished.code, Some(0), "{finished:?}");
            assert!(finished.stdout.ends_with("\n405"), "{finished:?}");
        }
        // Three pages in one go: over one connection where the server keeps it, else over three.
        let mut command = curl();
        for _ in 0..3 {
            command.args(["--output", "-", &server.url("/work?n=0")]);
        }
        let finished = run(command.args(["--write-out", "%{num_connects}\n"]), 2 * DEADLINE);
        let expected = if server.can.keep_alive { "{}1\n{}0\n{}0\n" } else { "{}1\n{}1\n{}1\n" };
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), expected), "{finished:?}");
        Ok(())
    })
}
