//! What a page starts: by whom, what comes of it, and that it ends.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The example stands in for the server of this name: it starts a program of its own, which must end with it.
const NAME: &str = "ch01_small";

const SERVER: &str = r#"
use std::io::{Read, Write};
fn main() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(std::env::args().skip(1).collect::<Vec<_>>(), ["--port", "0"]);
    let inside = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    println!("inside {}", inside.id());
    for number in 0..20_000 {
        eprintln!("noise {number}");
    }
    println!("listening on http://{}/", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut head = [0; 1024];
        let count = stream.read(&mut head).unwrap_or(0);
        if head[..count].starts_with(b"GET /sleep ") {
            std::thread::sleep(std::time::Duration::from_millis(700));
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}
"#;

fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "[workspace]\n[package]\nname = \"programs\"\nedition = \"2021\"\n\
         [[example]]\nname = \"{NAME}\"\npath = \"examples/main.rs\"\n"
    );
    let settings = "[book]\ntitle = \"T\"\nsrc = \"book\"\n[build]\nbuild-dir = \"target/book\"\n\
                    create-missing = false\n[output.html]\n";
    let exercises = "[[exercise]]\nname = \"one\"\nchapter = \"a\"\ntitle = \"One\"\nminutes = 1\n\
                     kind = \"write\"\nidea = \"One thing.\"\n";
    for (name, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("examples/main.rs", SERVER),
        ("book.toml", settings),
        ("book/SUMMARY.md", "- [A](a.md)\n"),
        ("book/a.md", "# A\n"),
        ("exercises/exercises.toml", exercises),
        ("measurements/README.md", ""),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn book(folder: &Path, arguments: &[&str]) -> Command {
    // As a script starts it in the background: with a Ctrl-C that is ignored, and that must not be passed on.
    let mut book = Command::new("sh");
    book.args(["-c", "trap '' INT; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_book")]);
    book.current_dir(folder).args(arguments).env("CARGO_TARGET_DIR", folder.join("target"));
    book.env_remove("CARGO_BUILD_TARGET").stdin(Stdio::piped()).stdout(Stdio::piped());
    book
}

/// A served book.
struct Served {
    folder: TempDir,
    server: Child,
    address: SocketAddr,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Served {
    fn new() -> Served {
        let folder = repository();
        let mut server =
            book(folder.path(), &["serve", "--port", "0", "--no-open"]).spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let said = lines.find_map(|line| {
            let line = line.unwrap();
            line.strip_prefix("The book is at http://")?.split('/').next()?.parse().ok()
        });
        // Whatever it says later is read.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let address = said.unwrap();
        let mut served = Served { folder, server, address, token: String::new() };
        let answer = served.send("GET", &["Sec-Fetch-Site: same-origin"], "");
        let answer: Value = serde_json::from_str(body(&answer)).unwrap();
        assert_eq!(answer["state"], Value::Null);
        served.token = answer["token"].as_str().unwrap().to_owned();
        served
    }

    fn send(&self, method: &str, lines: &[&str], body: &str) -> String {
        self.send_as(&self.address.to_string(), method, lines, body)
    }

    fn send_as(&self, host: &str, method: &str, lines: &[&str], body: &str) -> String {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let head = format!(
            "{method} /__run HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{lines}\r\n"
        );
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A body may come behind its head.
        thread::sleep(Duration::from_millis(5));
        let _ = stream.write_all(body.as_bytes());
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The lines that the script of a page sends from this host, with their names.
    fn lines(&self, host: &str) -> [String; 4] {
        [
            format!("Origin: http://{host}"),
            "Sec-Fetch-Site: same-origin".to_owned(),
            "Content-Type: application/json".to_owned(),
            format!("Start-Token: {}", self.token),
        ]
    }

    /// What the page's script asks: the status, and the state.
    fn act(&self, action: Value) -> (u16, Value) {
        let lines = self.lines(&self.address.to_string());
        let answer = self.send("POST", &lines.each_ref().map(String::as_str), &action.to_string());
        (status(&answer), serde_json::from_str(body(&answer)).unwrap_or_default())
    }

    fn start(&self) -> (u16, Value) {
        self.act(json!({ "action": "start", "name": NAME }))
    }

    /// Looks at the first run until it is as wanted.
    #[track_caller]
    fn look_until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let (_, state) = self.act(json!({ "action": "look", "run": 1 }));
            if wanted(&state) {
                return state;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{state:#}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// The process that a started program has started.
fn inside(lines: &str) -> u32 {
    let said = lines.split("inside ").nth(1).unwrap();
    said.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[track_caller]
fn is_gone_soon(process: u32) {
    let begun = Instant::now();
    let alive = || {
        let mut check = Command::new("kill");
        check.args(["-0", &process.to_string()]).stderr(Stdio::null());
        check.status().unwrap().success()
    };
    while alive() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{process} still runs");
        thread::sleep(Duration::from_millis(20));
    }
}

fn is_served(state: &Value) -> bool {
    let clients = state["clients"].as_array().unwrap();
    clients.len() == 3 && clients.iter().all(|client| client["outcome"] == "answered")
}

#[test]
fn a_page_starts_a_server_sees_its_clients_and_stops_it() {
    let served = Served::new();
    let (code, state) = served.start();
    assert_eq!(
        (code, &state["phase"], &state["kind"]),
        (200, &json!("compiles"), &json!("server"))
    );
    let state = served.look_until(is_served);
    let clients = state["clients"].as_array().unwrap();
    assert_eq!((&clients[0]["what"], &clients[0]["words"]), (&json!("/sleep"), &json!("200 OK")));
    // One thread: the others wait until the first is served.
    assert!(clients[1]["to"].as_u64() >= clients[0]["to"].as_u64(), "{clients:?}");
    assert!(state["cargo"].to_string().contains("Compiling programs"), "{}", state["cargo"]);
    assert_eq!(state["cut"], true, "so much is not told");
    assert!(state["lines"].to_string().len() < 128 * 1024);
    #[cfg(target_os = "linux")]
    assert_eq!((&state["threads"], &state["most"]), (&json!(1), &json!(1)));

    // Another page finds out, and may stop it; meanwhile nobody starts another one.
    let (code, busy) = served.start();
    assert_eq!((code, &busy["busy"], &busy["run"]), (200, &json!(true), &json!(1)));
    served.act(json!({ "action": "send", "run": 1, "which": "silent" }));
    served.act(json!({ "action": "send", "run": 1, "which": "many" }));
    served.act(json!({ "action": "send", "run": 1, "which": "leaves" }));
    let state = served.look_until(|state| state["clients"].as_array().unwrap().len() == 15);
    assert_eq!(state["clients"][3]["outcome"], "waits");
    served.look_until(|state| state["clients"][14]["outcome"] == "left");
    assert_eq!(served.act(json!({ "action": "stop", "run": 1 })).0, 200);
    let state = served.look_until(|state| state["phase"] == "ended");
    assert!(state["ended"].as_str().unwrap().contains("SIGINT"), "{}", state["ended"]);
    is_gone_soon(inside(&state["lines"].to_string()));
    // While cargo compiles, too.
    assert_eq!(served.start().1["run"], 2);
    // A page that followed the first one sees its end even so, and stops nothing else.
    let (code, first) = served.act(json!({ "action": "stop", "run": 1 }));
    assert_eq!((code, &first["run"], &first["ended"]), (200, &json!(1), &state["ended"]));
    assert_ne!(served.act(json!({ "action": "look", "run": 2 })).1["phase"], "stops");
    served.act(json!({ "action": "stop", "run": 2 }));
    let begun = Instant::now();
    while served.act(json!({ "action": "look", "run": 2 })).1["phase"] != "ended" {
        assert!(begun.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_changed_server_is_compiled_anew_and_an_error_is_shown_as_the_compiler_has_it() {
    let served = Served::new();
    fs::write(served.folder.path().join("examples/main.rs"), "fn main() { nonsense }").unwrap();
    served.start();
    let state = served.look_until(|state| state["phase"] == "ended");
    assert_eq!(state["ended"], "it did not compile");
    let said = state["cargo"].to_string();
    assert!(said.contains("cannot find value `nonsense`") && said.contains("--> "), "{said}");
    fs::write(served.folder.path().join("examples/main.rs"), SERVER).unwrap();
    assert_eq!(served.start().1["run"], 2);
}

#[test]
fn what_was_started_ends_with_the_server_that_is_killed() {
    let mut served = Served::new();
    served.start();
    let state = served.look_until(is_served);
    served.server.kill().unwrap();
    served.server.wait().unwrap();
    is_gone_soon(inside(&state["lines"].to_string()));
}

#[test]
fn what_nobody_looks_at_ends() {
    let folder = repository();
    let mut keeper =
        book(folder.path(), &["keep", "example", NAME, "--silence", "2"]).spawn().unwrap();
    // Somebody looks while it compiles.
    let mut words = keeper.stdin.take().unwrap();
    let (is_running, runs) = mpsc::channel::<()>();
    let holds = thread::spawn(move || {
        let wait = Duration::from_millis(200);
        while runs.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            let _ = words.write_all(b"beat\n");
        }
        words
    });
    let mut said = String::new();
    let mut output = BufReader::new(keeper.stdout.take().unwrap());
    let begun = Instant::now();
    while !said.contains("listening on ") {
        assert!(begun.elapsed() < Duration::from_secs(120), "it does not listen");
        assert_ne!(output.read_line(&mut said).unwrap(), 0, "{said}");
    }
    is_running.send(()).unwrap();
    // The pipe is open, and nothing comes.
    let words = holds.join().unwrap();
    output.read_to_string(&mut said).unwrap();
    assert!(said.contains("no page has looked at it"), "{said}");
    is_gone_soon(inside(&said));
    assert!(keeper.wait().unwrap().success());
    drop(words);
}

/// Each of what the script of a page sends keeps a request out by itself.
#[test]
fn nobody_else_starts_anything() {
    let served = Served::new();
    let own = served.address.to_string();
    let port = served.address.port();
    let wish = json!({ "action": "start", "name": NAME }).to_string();
    let right = served.lines(&own);
    let send = |host: &str, method: &str, lines: &[String], body: &str| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        served.send_as(host, method, &lines, body)
    };
    let with = |index: usize, line: &str| {
        let mut lines = right.to_vec();
        lines[index] = line.to_owned();
        lines
    };
    let rebound = format!("rebound.example.org:{port}");
    let form = "Content-Type: application/x-www-form-urlencoded";
    for (host, method, lines, code) in [
        // A site whose name leads here: for the browser, all of that is one origin.
        (&rebound, "POST", served.lines(&rebound).to_vec(), 421),
        (&rebound, "GET", right.to_vec(), 421),
        (&rebound, "POST", right.to_vec(), 421),
        (&own, "PUT", right.to_vec(), 405),
        (&own, "OPTIONS", right.to_vec(), 405),
        (&own, "POST", with(0, "Accept: */*"), 403),
        (&own, "POST", with(0, "Origin: http://example.org"), 403),
        (&own, "POST", with(0, "Origin: http://localhost:1"), 403),
        (&own, "POST", with(1, "Accept: */*"), 403),
        (&own, "POST", with(1, "Sec-Fetch-Site: same-site"), 403),
        (&own, "POST", with(2, "Accept: */*"), 415),
        (&own, "POST", with(2, "Content-Type: text/plain"), 415),
        (&own, "POST", with(3, "Accept: */*"), 403),
        (&own, "POST", with(3, "Start-Token: 00000000000000000000000000000000"), 403),
        // A form of another site.
        (
            &own,
            "POST",
            vec![
                "Origin: http://example.org".into(),
                "Sec-Fetch-Site: cross-site".into(),
                form.into(),
            ],
            415,
        ),
        // The token, asked for by another site and by nobody's page.
        (&own, "GET", with(1, "Sec-Fetch-Site: cross-site"), 403),
        (&own, "GET", with(1, "Accept: */*"), 403),
    ] {
        let answer = send(host, method, &lines, &wish);
        assert_eq!(status(&answer), code, "{method} {lines:?}: {answer}");
        assert!(!answer.contains(&served.token), "{method} {lines:?}: {answer}");
        assert!(!answer.contains("Access-Control-Allow"), "{answer}");
    }
    let answer = send(&own, "POST", &right, &"x".repeat(2000));
    assert_eq!(status(&answer), 413);
    let answer = served.send("GET", &["Sec-Fetch-Site: same-origin"], "");
    assert!(answer.contains("frame-ancestors 'self'") && answer.contains("no-store"), "{answer}");
    let state: Value = serde_json::from_str(body(&answer)).unwrap();
    assert_eq!(state["state"], Value::Null, "nothing was started");
    // From another name of this machine, with another port, which leads here.
    let forwarded = "localhost:9000";
    let answer = send(forwarded, "POST", &served.lines(forwarded), &wish);
    assert_eq!(status(&answer), 200, "{answer}");
}
