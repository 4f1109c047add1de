//! `cargo xtask judge`: what it says of servers that are good, bad, and none at all.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Finished, Rung, cases::catalogue::CATALOGUE, example, files_below, have, join_all, none,
    program, root, run, serve_book,
};
use regex::Regex;
use serde_json::Value;

/// Longer than the judge takes by itself.
const BOUND: Duration = Duration::from_secs(20 * 60);

/// All pages of the site, as the judge is told.
const SITE: &str = "/,/sleep,/tenth,/file,/work";

/// Lets the judge judge.
fn judged(args: &[&str]) -> Finished {
    run(program("judge").args(args).current_dir(root()), BOUND)
}

/// Lets it judge the server that one of our examples is.
fn judged_example(name: &str, flags: &str, args: &[&str]) -> Finished {
    let server = example(name);
    let path = server.get_program().to_str().expect("the path is text");
    let path = shlex::try_quote(path).expect("a path has no NUL");
    let command = format!("exec {path} --port {{port}} {flags}");
    judged(&[&["--command", command.as_str()][..], args].concat())
}

/// A server of this test, which does the same to each client, with the number of that; its port.
fn bad(mut serve: impl FnMut(u32, TcpStream) -> io::Result<()> + Send + 'static) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for (stream, number) in listener.incoming().zip(1..) {
            // It ends with its first error, and listens no more.
            if stream.and_then(|stream| serve(number, stream)).is_err() {
                return;
            }
        }
    });
    port.to_string()
}

/// A page, as the smallest server sends it that says what it does.
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n";

/// Sends this as often as the client takes it.
fn without_end(mut stream: TcpStream, bytes: &'static [u8]) {
    thread::spawn(move || while stream.write_all(bytes).is_ok() {});
}

#[ignore = "slow"]
#[test]
fn a_server_that_cannot_be_judged_ends_in_one_clear_line() {
    // The listener ends with its statement.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let nobody = free.expect("a free port").port().to_string();
    let mut held = Vec::new();
    let hangs = bad(move |_, stream| {
        held.push(stream);
        Ok(())
    });
    let floods = bad(|_, stream| {
        without_end(stream, &[b'x'; 65536]);
        Ok(())
    });
    let floods_in_a_body = bad(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        without_end(stream, &[b'x'; 65536]);
        Ok(())
    });
    let chunk: &'static [u8] = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).leak().as_bytes();
    let floods_in_chunks = bad(move |_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        without_end(stream, chunk);
        Ok(())
    });
    let closes = bad(|_, _| Ok(()));
    // What a server that expects TLS says to a client that does not: a fatal alert.
    let speaks_tls = bad(|_, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"\x15\x03\x01\x00\x02\x02\x46");
        Ok(())
    });
    let mut open = Vec::new();
    let has_no_length = bad(move |_, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        open.push(stream);
        Ok(())
    });
    let has_no_page = bad(|_, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        Ok(())
    });
    let cases = [
        (nobody, "no server listens on port"),
        (hangs, "it hangs: the server takes a connection and says nothing for 8 s"),
        (floods, "it does not answer a plain request: no HTTP response"),
        (floods_in_a_body, "more than 8 MiB came, without an end"),
        (floods_in_chunks, "more than 8 MiB came, without an end"),
        (closes, "it closes at once"),
        (speaks_tls, "it speaks TLS"),
        (has_no_length, "a `Content-Length`, or the end of the connection"),
        (has_no_page, "its page `/` answers 404"),
    ];
    thread::scope(|scope| {
        let check = |port: String, words: &str| {
            let mut judge = program("judge");
            // Only now is it built.
            let start = Instant::now();
            let said = run(judge.args(["--port", &port]).current_dir(root()), BOUND);
            assert!(start.elapsed() < Duration::from_secs(30), "{words}: {:?}", start.elapsed());
            assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said:?}");
            assert_eq!(said.stderr.lines().count(), 1, "{said:?}");
            assert!(said.stderr.contains(words), "{words:?} in {said:?}");
        };
        join_all(cases.map(|(port, words)| scope.spawn(move || check(port, words))).into());
    });
}

#[test]
fn nobody_outside_this_machine_is_asked() {
    for port in ["192.0.2.1:80", "http://example.com:80/", "0.0.0.0:80"] {
        let said = judged(&["--port", port]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.stderr.contains("servers of this machine only"), "{said:?}");
    }
    // An address of this machine will do.
    let said = judged(&["--port", "http://127.0.0.1:1/"]);
    assert!(said.stderr.contains("no server listens on port 1"), "{said:?}");
}

#[test]
fn a_server_that_dies_of_a_case_is_named_with_it() {
    let dies = bad(|number, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        if number == 3 {
            return Err(io::Error::other("it dies of its third client"));
        }
        let _ = stream.write_all(PAGE);
        Ok(())
    });
    let said = judged(&["--port", &dies]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let words = "stopped: after takes_a_request_in_pieces the server serves no more: ";
    assert!(said.stdout.contains(words), "{said:?}");
    assert!(said.stdout.contains("It does not keep 1 demand of HTTP/1.1."), "{said:?}");
    // The failed case shows what was sent; what came after it was not asked.
    for words in ["✗ takes_a_request_in_pieces\n    sent      \"G", "book/ch01-single-threaded.md"]
    {
        assert!(said.stdout.contains(words), "{words:?} in {said:?}");
    }
    let outside = said.stdout.lines().find(|line| line.starts_with("an outside judge  "));
    let numbers: Vec<&str> = outside.expect("its score").split_whitespace().skip(3).collect();
    assert_eq!(numbers[..3], ["0", "0", "0"], "{said:?}");
}

/// Answers a client whose request has come with this page, or says nothing where there is none.
fn answer(mut stream: TcpStream, head: &str, page: Option<&str>) {
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    if let Some(page) = page {
        let length = page.len();
        let close = "Connection: close\r\n\r\n";
        let _ =
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{head}{close}{page}");
    }
}

/// A server that answers each client so, by its number, and ends with the first that says nothing for two seconds: the one
/// of `outlasts_a_silent_client`, long after the first case. Its port.
fn answers_until_silence(answer: impl Fn(u32, TcpStream) + Send + 'static) -> String {
    bad(move |number, stream| {
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.peek(&mut [0])?;
        answer(number, stream);
        Ok(())
    })
}

/// Lets the judge judge such a server.
fn judged_as_it_answers(answer: impl Fn(u32, TcpStream) + Send + 'static) -> Finished {
    judged(&["--port", &answers_until_silence(answer)])
}

/// What fails once is asked again.
#[test]
fn an_accident_is_no_fault() {
    let said = judged_as_it_answers(|number, stream| {
        answer(stream, "", (number != 10).then_some("hello"));
    });
    assert!(said.stdout.contains("✓ takes_a_request_in_pieces\n"), "{said:?}");
}

/// A page that has become another one is compared no more.
#[test]
fn a_page_that_changes_later_is_no_fault() {
    let said = judged_as_it_answers(|number, stream| {
        answer(stream, "", Some(if number < 10 { "first" } else { "second" }));
    });
    assert!(said.stdout.contains("✓ takes_a_request_in_pieces\n"), "{said:?}");
}

/// The first case fails for the first time at the tenth client, by accident, and the page changes when it is asked again.
#[test]
fn a_page_that_changes_while_a_case_is_asked_again_is_no_fault() {
    let said = judged_as_it_answers(|number, stream| {
        let page = if number < 40 { "first" } else { "second" };
        answer(stream, "", (number != 10).then_some(page));
    });
    assert!(said.stdout.contains("✓ takes_a_request_in_pieces\n"), "{said:?}");
}

/// What fails twice is a fault.
#[test]
fn what_fails_again_and_again_is_a_fault() {
    let said = judged_as_it_answers(|number, stream| {
        answer(stream, "", (number % 9 != 0).then_some("hello"));
    });
    assert!(said.stdout.contains("✗ takes_a_request_in_pieces\n"), "{said:?}");
}

/// A port may be open before its server is ready, as that of a container, whose proxy closes until then or answers a 502.
#[test]
fn a_server_that_is_not_ready_yet_is_waited_for() {
    let said = judged_as_it_answers(|number, mut stream| match number {
        1..4 => {}
        4..6 => {
            let _ = stream.read(&mut [0; 1024]);
            let head =
                b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(head);
        }
        _ => answer(stream, "", Some("hello")),
    });
    assert!(said.stdout.contains("✓ takes_a_request_in_pieces\n"), "{said:?}");
}

/// RFC 9110, section 5.5, lets a value have a tab and bytes above ASCII, and no standard limits the number of lines.
#[test]
fn whatever_the_rfc_allows_in_a_head_is_taken() {
    let said = judged_as_it_answers(|_, stream| {
        let lines = format!("X-Kind: Gr\u{f6}\u{df}e\t7\r\n{}", "Y: z\r\n".repeat(100));
        answer(stream, &lines, Some("hello"));
    });
    assert!(said.stdout.contains("✓ takes_a_request_in_pieces\n"), "{said:?}");
}

/// Each request names the server by the address that a client on this machine would type.
#[ignore = "slow"]
#[test]
fn each_request_names_the_server_with_its_port() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let (names, named) = std::sync::mpsc::channel();
    thread::spawn(move || {
        // More than the first cases have.
        for stream in listener.incoming().take(130).map_while(Result::ok) {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let hosts = lines.take_while(|line| !line.is_empty());
            let hosts = hosts.filter(|line| line.to_lowercase().starts_with("host:"));
            hosts.for_each(|line| names.send(line).expect("the test listens"));
            let _ = (&stream).write_all(PAGE);
        }
    });
    let said = judged(&["--port", &port.to_string()]);
    let named: BTreeSet<String> = named.try_iter().map(|line| line.to_lowercase()).collect();
    assert!(named.len() < 10, "{named:?} {said:?}");
    let own = |line: &String| {
        ["localhost", "127.0.0.1"].iter().any(|name| line.ends_with(&format!("{name}:{port}")))
    };
    assert!(named.iter().all(own), "{named:?}");
}

/// Many a server runs until somebody presses Enter.
#[ignore = "slow"]
#[test]
fn a_server_that_ends_with_its_input_is_judged() {
    let server = example("first_server");
    let path = server.get_program().to_str().expect("the path is text");
    let path = shlex::try_quote(path).expect("a path has no NUL");
    // The second time it starts nothing, which ends the judge.
    let folder = tempfile::tempdir().expect("a folder");
    let started = folder.path().join("started");
    let started = started.to_str().expect("the path is text");
    let command = format!(
        "[ -e {started} ] && exit 3; touch {started}; {path} --port {{port}} & read line; kill $!"
    );
    let said = judged(&["--command", &command]);
    assert!(said.stdout.contains("✗ takes_a_request_in_pieces\n"), "{said:?}");
}

/// What cargo has set for the judge is nothing to the server; what a person has set, is.
#[test]
fn a_server_gets_the_environment_of_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("environment");
    let command = format!("env >{}; exit 3", file.display());
    let mut judge = program("judge");
    judge.args(["--command", &command]).current_dir(root());
    for name in ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "RUSTUP_TOOLCHAIN", "RUST_TEST_THREADS"] {
        judge.env(name, "of cargo");
    }
    judge.env("CARGO_NET_OFFLINE", "true").env("RUST_LOG", "info");
    judge.env("LD_LIBRARY_PATH", "/lib/rustlib/x86_64-unknown-linux-gnu/lib:/of/mine");
    run(&mut judge, BOUND);
    let text = fs::read_to_string(&file).expect("the command has written it");
    let lines: BTreeSet<&str> = text.lines().collect();
    for kept in ["CARGO_NET_OFFLINE=true", "RUST_LOG=info", "LD_LIBRARY_PATH=/of/mine"] {
        assert!(lines.contains(kept), "no {kept} in {text}");
    }
    assert!(!text.contains("of cargo"), "{text}");
}

/// The line of progress replaces itself on a narrow terminal too, and the scores fit into sixty columns.
#[cfg(target_os = "linux")]
#[test]
fn a_narrow_terminal_shows_each_line_whole() {
    if !have("script") {
        return;
    }
    let port = answers_until_silence(|_, stream| answer(stream, "", Some("hello")));
    let judge = program("judge");
    let judge = judge.get_program().to_str().expect("the path is text");
    let judge = shlex::try_quote(judge).expect("a path has no NUL");
    let command = format!("stty cols 60; exec {judge} --scores --port {port}");
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(root());
    let said = run(&mut terminal, BOUND);
    assert!(said.stdout.contains(" of "), "no progress: {said:?}");
    // The last line says, in words of the system, why the judge stopped.
    let lines = said.stdout.split(['\r', '\n']).filter(|line| !line.starts_with("stopped: "));
    let long = lines.filter(|line| line.chars().count() > 60);
    none(long.map(str::to_owned).collect());
}

/// In a class, a server has no other name that a person knows.
#[test]
fn a_report_names_the_learner() {
    let port = answers_until_silence(|_, stream| answer(stream, "", Some("hello")));
    let said = judged(&["--port", &port, "--scores", "--json", "--name", "pair 7"]);
    assert_eq!(report_of(&said)["server"]["learner"], "pair 7", "{said:?}");
}

/// The page of this one is another in the next second, as that of a clock. Its fourth client ends it.
#[test]
fn a_page_that_changes_is_no_fault() {
    let mut first = None;
    let clock = bad(move |number, mut stream| {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        match number {
            3 => thread::sleep(Duration::from_millis(1200).saturating_sub(first.elapsed())),
            4 => return Err(io::Error::other("it has said enough")),
            _ => {}
        }
        let second = first.elapsed().as_secs().min(1);
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n";
        let _ = write!(stream, "{head}{second}");
        Ok(())
    });
    let said = judged(&["--port", &clock]);
    assert!(said.stdout.contains("the server serves no more"), "{said:?}");
    assert!(!said.stdout.contains("as it was at first"), "{said:?}");
}

/// A command that is none of a server, and one that ends before it listens: all that it says is shown, and its reason last.
#[ignore = "slow"]
#[test]
fn a_command_that_starts_no_server_is_told_with_its_words() {
    let said =
        judged(&["--command", "echo 'Error: no such file' >&2; echo ' at line 3' >&2; exit 3"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let words = "    | Error: no such file\n    |  at line 3\n\
                 error: the command has ended and listens nowhere; it says: Error: no such file\n";
    assert_eq!(said.stderr, words, "{said:?}");
}

/// By which name the reports know the suite of others.
const OUTSIDE: &str = "an outside judge";

/// The names of the cases that came out so.
fn names<'a>(report: &'a Value, outcome: &str) -> BTreeSet<&'a str> {
    let cases = report["cases"].as_array().expect("a list of cases").iter();
    let ours = cases.filter(|case| case["asked_by"] != OUTSIDE);
    let found = ours.filter(|case| case["outcome"] == outcome);
    found.map(|case| case["name"].as_str().expect("a name")).collect()
}

fn report(name: &str, flags: &str, args: &[&str]) -> Value {
    report_of(&judged_example(name, flags, &[args, &["--json"][..]].concat()))
}

/// The report, whose verdict is the exit status too.
fn report_of(said: &Finished) -> Value {
    let report: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    let status = if report["http_holds"] == true { 0 } else { 1 };
    assert_eq!(said.code, Some(status), "{said:?}");
    report
}

/// The score of those who ask for cases by this name.
fn score<'a>(report: &'a Value, asked_by: &str) -> &'a Value {
    let scores = report["by_level"].as_array().expect("a list of scores");
    scores.iter().find(|score| score["of"] == asked_by).expect("a score of this name")
}

/// What any server owes that speaks HTTP/1.1 is failed by none that half the world runs, as it comes, nor by the one that
/// serves this book. A case that one of them fails is wrong.
#[ignore = "slow"]
#[test]
fn servers_known_to_be_good_keep_what_http_demands() {
    let folder = tempfile::tempdir().expect("a folder");
    let root_of_site = folder.path().join("site");
    fs::create_dir(&root_of_site).expect("a new folder");
    fs::write(root_of_site.join("index.html"), "hello\n").expect("a new file");
    let folder = folder.path().to_str().expect("the path is text");
    let serving = serve_book(root());
    let book = serving.address.rsplit(':').next().expect("it has a port").to_owned();
    let mut servers = vec![("the server of the book", vec!["--port".to_owned(), book])];
    for (name, command) in [("node", NODE), ("apache2", APACHE), ("nginx", NGINX)] {
        if have(name) {
            let command = command.replace("FOLDER", folder);
            servers.push((name, vec!["--command".to_owned(), command]));
        }
    }
    thread::scope(|scope| {
        let check = |server| {
            let (name, args): &(&str, Vec<String>) = server;
            scope.spawn(move || assert_keeps_what_http_demands(name, args))
        };
        join_all(servers.iter().map(check).collect());
    });
}

/// Lets the judge judge a server, and demands a good verdict.
#[track_caller]
fn assert_keeps_what_http_demands(name: &str, args: &[String]) {
    let mut judge = program("judge");
    let report = report_of(&run(judge.args(args).arg("--json").current_dir(root()), BOUND));
    let cases = report["cases"].as_array().expect("a list of cases").iter();
    let failed = cases.filter(|case| {
        case["asked_by"] == "any server that speaks HTTP/1.1" && case["outcome"] == "failed"
    });
    none(failed.map(|case| format!("{name}: {case:#}")).collect());
    assert_eq!(report["http_holds"], true, "{name}: {report}");
    assert_eq!(report["stopped"], Value::Null, "{name}");
}

/// A page in Node, as its own documentation begins, with a 404 and a 405.
const NODE: &str = r#"exec node -e '
require("node:http").createServer((request, response) => {
    const isKnown = new URL(request.url, "http://localhost").pathname === "/";
    const isRead = ["GET", "HEAD"].includes(request.method);
    response.statusCode = isRead ? (isKnown ? 200 : 404) : 405;
    response.end("hello\n");
}).listen(process.env.PORT, "127.0.0.1")'"#;

/// Apache with no setting of its own but where it runs.
const APACHE: &str = r#"
for modules in /usr/lib/apache2/modules /usr/lib64/httpd/modules; do [ -d $modules ] && break; done
cat >FOLDER/apache.conf <<END
ServerRoot FOLDER
ServerName localhost
PidFile FOLDER/apache.pid
Listen 127.0.0.1:$PORT
ErrorLog /dev/stderr
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
DocumentRoot FOLDER/site
END
exec apache2 -f FOLDER/apache.conf -DFOREGROUND"#;

/// nginx, the same.
const NGINX: &str = r#"
cat >FOLDER/nginx.conf <<END
daemon off;
pid FOLDER/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    server { listen 127.0.0.1:$PORT; root FOLDER/site; }
}
END
exec nginx -e stderr -c FOLDER/nginx.conf"#;

/// That the judge has no descriptor left is no fault of a server.
#[cfg(target_os = "linux")]
#[ignore = "slow"]
#[test]
fn a_shortage_of_the_judge_is_not_the_servers() {
    let server = Rung::step("ch06_small").expect("it is declared").start(&[]);
    let judge = program("judge");
    let judge = judge.get_program().to_str().expect("the path is text");
    let judge = shlex::try_quote(judge).expect("a path has no NUL");
    let command = format!("ulimit -n 100; exec {judge} --json --port {}", server.address.port());
    let said = run(Command::new("sh").args(["-c", &command]).current_dir(root()), BOUND);
    let report: Value = serde_json::from_str(&said.stdout).expect("it is JSON");
    let cases = report["cases"].as_array().expect("a list of cases");
    let name = "serves_beside_two_hundred_half_requests";
    let case = cases.iter().find(|case| case["name"] == name).expect("it is a case");
    assert_eq!(case["outcome"], "not asked", "{case}");
    let because = case["because"].as_str().expect("it says why");
    assert!(because.starts_with("the judge itself has too little: "), "{case}");
}

/// Where a server of its own port has ended, the system keeps that for a minute, and one that does not set `SO_REUSEADDR`
/// can't listen there. Then the judge waits.
#[cfg(target_os = "linux")]
#[ignore = "slow"]
#[test]
fn a_port_that_the_system_keeps_is_waited_for() {
    if !have("python3") {
        return;
    }
    const SERVER: &str = r#"
import os, socket, sys
lives = int(sys.argv[2])
listener = socket.socket()
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(64)
for number in range(200 if lives else 9):
    client, _ = listener.accept()
    client.recv(1024)
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n")
    client.close()
"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("server.py");
    fs::write(&path, SERVER).expect("a new file");
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let port = free.expect("a free port").port().to_string();
    let lives = folder.path().join("lives");
    let path = path.display();
    let lives = lives.display();
    // It is started again once.
    let command = format!(
        "echo >>{lives}; n=$(wc -l <{lives}); [ $n -gt 3 ] && exit 3; exec python3 {path} {port} $((n - 1))"
    );
    let said = judged(&["--port", &port, "--command", &command]);
    assert!(said.stdout.contains("waited "), "{said:?}");
    assert!(said.stdout.contains("\nstarted again after\n"), "{said:?}");
}

/// What hyper does otherwise, as `examples/servers.toml` declares it: it takes a request without a `Host`, for example,
/// answers a long target with a 431, and says nothing to a client whose head is late.
const HYPER: [&str; 4] = [
    "limits_the_head",
    "limits_the_time_of_a_whole_head",
    "refuses_what_is_no_request",
    "tells_a_client_whose_head_is_late",
];

/// A rung keeps its own contract, and its answers to the outside judge are those of the page on that.
#[ignore = "slow"]
#[test]
fn a_rung_fails_nothing_but_what_it_is_declared_to() {
    thread::scope(|scope| {
        let check = |name: &'static str, flags: &'static str, fails: &'static [&'static str]| {
            let report = report(name, flags, &["--routes", SITE]);
            assert_eq!(names(&report, "failed"), fails.iter().copied().collect(), "{name}");
            assert_eq!(report["started_again"], Value::Array(Vec::new()), "{name}");
            let outside = score(&report, OUTSIDE);
            let counts = ["held", "allowed", "failed", "not_asked"].map(|it| &outside[it]);
            if (name, flags) == ("ch06_tokio", "--keep-alive") {
                assert_eq!(counts.map(|it| it.as_u64()), [128, 14, 52, 0].map(Some), "{name}");
            }
        };
        join_all(vec![
            scope.spawn(move || check("ch06_tokio", "", &[])),
            scope.spawn(move || check("ch06_tokio", "--keep-alive", &[])),
            scope.spawn(move || check("hyper_site", "--keep-alive", &HYPER)),
        ]);
    });
}

/// The first server breaks in the ways that its chapter tells, and is started again where it ends.
#[ignore = "slow"]
#[test]
fn the_first_server_fails_what_its_chapter_fixes() {
    let report = report("first_server", "", &[]);
    let failed = names(&report, "failed");
    for name in [
        "takes_a_request_in_pieces",
        "takes_a_head_of_2000_bytes",
        "states_its_length",
        "survives_rude_clients",
        "outlasts_a_silent_client",
        "answers_before_it_closes",
        "survives_a_request_that_is_no_text",
    ] {
        assert!(failed.contains(name), "{name} is not among {failed:?}");
    }
    // Only a client that could not connect has sent nothing. The others show it, also where the client has gone by then.
    let cases = report["cases"].as_array().expect("a list of cases").iter();
    let failed = cases.filter(|case| case["outcome"] == "failed" && case["sent"] == "");
    let connected = |case: &&Value| !case["came"].to_string().contains("cannot connect");
    let silent = failed.filter(connected);
    none(silent.map(ToString::to_string).collect());
    let again = report["started_again"].as_array().expect("a list");
    let panics = again.iter().any(|it| {
        let because = it["because"].as_str().unwrap_or_default();
        it["after"] == "survives_a_request_that_is_no_text"
            && because.starts_with("it has ended; it says: a request is UTF-8")
    });
    assert!(panics, "{again:?}");
}

/// Where the scores are that the page shows, and the reports of which its table is made.
const JUDGED: &str = "measurements/results/judged";

/// What was recorded under this name.
fn recorded(file: &str) -> String {
    let path = root().join(JUDGED).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The programs of the table, in the order in which the chapter comes to them.
fn steps_of_the_first_server() -> Vec<&'static str> {
    let steps = records::servers::ALL.iter().flat_map(|server| &server.steps);
    steps.map(String::as_str).filter(|name| name.starts_with("first_server")).collect()
}

/// The table on the page is made of the reports, and nobody has typed it.
#[test]
fn the_table_on_the_page_is_made_of_the_reports() {
    let steps = steps_of_the_first_server();
    assert_eq!(steps.len(), 8, "{steps:?}");
    let files = steps.iter().map(|name| format!("{JUDGED}/{name}.json"));
    let args: Vec<String> = ["--table".to_owned()].into_iter().chain(files).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let table = judged(&args);
    assert_eq!(table.code, Some(0), "{table:?}");
    assert_eq!(recorded("first_server.txt"), table.stdout);
}

#[test]
fn a_table_is_made_of_reports_only() {
    let said = judged(&["--table", "Cargo.toml"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("Cargo.toml is no report of --json"), "{said:?}");
    let said = judged(&["--table", "Cargo.toml", "--port", "1"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

/// How many cases each row of these scores has.
fn cases_of_rows(scores: &str) -> Vec<u32> {
    let count = |row: &str| {
        let numbers: Vec<u32> =
            row.split_whitespace().rev().take(4).map_while(|it| it.parse().ok()).collect();
        (numbers.len() == 4).then(|| numbers.iter().sum())
    };
    scores.lines().filter_map(count).collect()
}

/// What the page shows of our servers is what the judge says today. What it shows of the Rust Book's was printed once,
/// because no test fetches that; it has as many cases, row by row, as there are today.
#[ignore = "slow"]
#[test]
fn the_scores_on_the_page_are_those_of_today() {
    let check_scores = |name: &'static str| {
        let today = judged_example(name, "", &["--scores"]).stdout;
        let file = format!("{name}.txt");
        let again = format!("`cargo xtask judge --scores ... > {JUDGED}/{file}` records it");
        assert_eq!(today, recorded(&file), "{name}: left: today, right: its record; {again}");
        let rust_book = cases_of_rows(&recorded("rust_book.txt"));
        assert_eq!(cases_of_rows(&today), rust_book, "as many cases, row by row");
    };
    // What is in a report besides the scores differs from one day to the next.
    let scores = |report: &Value| [&report["by_level"], &report["by_page"]].map(Clone::clone);
    let check_report = |name: &'static str| {
        let today = report(name, "", &["--scores"]);
        let file = format!("{name}.json");
        let again = format!("`cargo xtask judge --scores --json ... > {JUDGED}/{file}` records it");
        let recorded: Value = serde_json::from_str(&recorded(&file)).expect("it is JSON");
        let of_today = scores(&today);
        let of_record = scores(&recorded);
        assert_eq!(of_today, of_record, "{name}: left: today, right: its record; {again}");
    };
    let check_scores = &check_scores;
    let check_report = &check_report;
    thread::scope(|scope| {
        let small = ["ch01_small", "ch06_small"].into_iter();
        let small = small.map(|name| scope.spawn(move || check_scores(name)));
        let steps = steps_of_the_first_server().into_iter();
        let steps = steps.map(|name| scope.spawn(move || check_report(name)));
        join_all(small.chain(steps).collect());
    });
}

/// A section of a page, up to the next heading, whichever its level. `None` if the page has no such heading.
fn section(page: &str, heading: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(format!("book/{page}.md"))).ok()?;
    let mut in_code = false;
    let mut is_heading = |line: &str| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    };
    let lines: Vec<(bool, &str)> = text.lines().map(|line| (is_heading(line), line)).collect();
    let words = |line: &str| {
        let words = line.trim_start_matches('#').trim();
        words.split(" {#").next().unwrap_or(words).to_owned()
    };
    let start =
        lines.iter().position(|(is_heading, line)| *is_heading && words(line) == heading)?;
    let body = lines[start + 1..].iter().take_while(|(is_heading, _)| !is_heading);
    Some(body.map(|(_, line)| format!("{line}\n")).collect())
}

/// Where a case cites a standard, its section does so too, with a link: it can hardly explain the case otherwise.
#[test]
fn each_case_names_a_section_that_is_there_and_cites_what_it_cites() {
    let mut complaints = Vec::new();
    if section("contract", "An outside judge").is_none() {
        complaints.push("contract.md has no section \"An outside judge\"".to_owned());
    }
    let cited =
        Regex::new(r"RFC (\d+), sections? ([\d.]*\d)(?: and ([\d.]*\d))?").expect("a pattern");
    for asked in CATALOGUE {
        let at = format!("{}: {}.md, {:?}", asked.name, asked.page, asked.section);
        let Some(text) = section(asked.page, asked.section) else {
            complaints.push(format!("{at}: there is no such section"));
            continue;
        };
        for found in cited.captures_iter(asked.expected) {
            for part in [2, 3].into_iter().filter_map(|group| found.get(group)) {
                let link = format!("rfc{}#section-{})", &found[1], part.as_str());
                if !text.contains(&link) {
                    complaints.push(format!("{at}: no link to {link}"));
                }
            }
        }
    }
    none(complaints);
}

/// A case that only the judge knew would be tried on no server of ours.
#[test]
fn each_case_of_the_judge_is_one_of_our_tests() {
    let files = ["tests/wire.rs", "tests/wire", "tests/cases"].map(|it| root().join(it));
    let files = files.iter().flat_map(|path| files_below(path));
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let files = files.filter(|path| !path.ends_with("catalogue.rs"));
    let text: String = files.map(|path| fs::read_to_string(path).expect("it is text")).collect();
    let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: Vec<&str> = text.split(|letter| !letters(letter)).collect();
    let calls = |name: &str| words.iter().filter(|word| **word == name).count();
    let alone = CATALOGUE.iter().filter(|asked| calls(asked.name) < 2);
    none(alone.map(|asked| format!("{} is no test of ours", asked.name)).collect());
}
