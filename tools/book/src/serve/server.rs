//! The web server of the book: loopback only, a thread for each connection.

use std::{
    fs,
    io::{self, ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, bail};
use pictures::text::escape;
use records::base::say;
use serde_json::json;
use site::{
    AcceptErrors, DRAIN_LIMIT, DRAIN_TIME, HEAD_TIME, Method, Parsed, Request, Response, Status,
    WRITE_TIME,
};

use super::{
    host,
    start::{MOST_BODY, START_PATH, Starts, header},
};
use crate::diagrams::{LIBRARY, PAGES_LIBRARY};

/// The path at which a page asks whether it is still the newest. The theme's `index.hbs` knows this name.
pub(super) const VERSION_PATH: &str = "/__version";

/// A body is longer than any that has a meaning here (RFC 9110, section 15.5.14).
const TOO_LARGE: Status = Status { code: 413, reason: "Content Too Large" };

/// How many ports after the wished one are tried before any free one is taken.
const PORTS_TRIED: u16 = 20;

/// The media type of a page.
const HTML: &str = "text/html; charset=utf-8";

/// The book as it is served.
#[derive(Debug)]
pub(super) struct Served {
    folder: PathBuf,
    /// The script that draws a diagram that has no drawing yet, if it is installed.
    library: PathBuf,
    state: Mutex<State>,
    exchange: RwLock<()>,
    starts: Starts,
}

/// The state of the book that a page asks for.
#[derive(Debug)]
pub(super) struct State {
    /// Counts what an open page should load. It may have been served by another server, so each begins with another number.
    pub version: u64,
    /// Why the last build failed, if it did.
    pub error: Option<String>,
}

impl Served {
    /// The book of the repository at `root`, in this folder.
    pub(super) fn new(root: &Path, folder: PathBuf) -> Served {
        // In milliseconds since 1970: exact in a browser, too.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let state = State { version: since.as_millis() as u64, error: None };
        let library = root.join(LIBRARY);
        let starts = Starts::new(root);
        Served { folder, library, state: Mutex::new(state), exchange: RwLock::default(), starts }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes files while none of them is read.
    pub(super) fn alone<T>(&self, change: impl FnOnce() -> T) -> T {
        let _alone = self.exchange.write().unwrap_or_else(PoisonError::into_inner);
        change()
    }

    fn respond(&self, request: &Request) -> Response {
        if request.method == Method::Other {
            return Response::refusal(Status::METHOD_NOT_ALLOWED);
        }
        if request.path == VERSION_PATH {
            let state = self.state();
            let body = json!({ "version": state.version, "error": state.error }).to_string();
            let body = body.into_bytes();
            return Response { status: Status::OK, content_type: "application/json", body };
        }
        let _together = self.exchange.read().unwrap_or_else(PoisonError::into_inner);
        let file = match &*request.path {
            PAGES_LIBRARY => Some(self.library.clone()),
            path => find(&self.folder, path),
        };
        let found = file.and_then(|file| Some((content_type(&file), fs::read(&file).ok()?)));
        match found {
            Some((content_type, body)) => Response { status: Status::OK, content_type, body },
            None => self.no_such_page(),
        }
    }

    fn no_such_page(&self) -> Response {
        let page = fs::read(self.folder.join("404.html"));
        let body = page.unwrap_or_else(|_| {
            // There is no book yet, so there is no script that asks.
            let error = self.state().error.clone().unwrap_or_default();
            let head = "<!DOCTYPE html><html lang=\"en\"><title>No book</title>\
                        <meta http-equiv=\"refresh\" content=\"1\">";
            format!("{head}<p>There is no such page.</p><pre>{}</pre></html>", escape(&error))
                .into()
        });
        Response { status: Status::NOT_FOUND, content_type: HTML, body }
    }
}

/// The file that a request's path names; `None` if it names none inside the folder. No name in the book needs a percent
/// sign, so none is decoded. However else the path is written (`..`, backslashes, a drive, a symbolic link), the file
/// system itself says in the end where the file is.
fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let path = path.strip_prefix('/')?;
    if path.contains(['\\', ':', '\0']) || path.split('/').any(|part| part == "..") {
        return None;
    }
    let mut file = fs::canonicalize(folder.join(path.trim_start_matches('/'))).ok()?;
    if file.is_dir() {
        file = fs::canonicalize(file.join("index.html")).ok()?;
    }
    (file.starts_with(&folder) && file.is_file()).then_some(file)
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => HTML,
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Binds this port of 127.0.0.1 or, if it is taken, one of the next ones.
pub(super) fn listen(port: u16) -> Result<TcpListener> {
    let mut refused: Option<io::Error> = None;
    for wish in (0..=PORTS_TRIED).filter_map(|more| port.checked_add(more)).chain([0]) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, wish)) {
            Ok(listener) => {
                let bound = listener.local_addr().context("cannot tell the port")?.port();
                if port != 0 && bound != port {
                    let why = match refused {
                        Some(error) if error.kind() != ErrorKind::AddrInUse => error.to_string(),
                        _ => "another program holds it".to_owned(),
                    };
                    say(format_args!("Port {port} can't be had ({why}); using {bound}."));
                }
                return Ok(listener);
            }
            // The first one is about the port that was asked for.
            Err(error)
                if matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) =>
            {
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error).context("cannot listen on 127.0.0.1"),
        }
    }
    bail!("no port of 127.0.0.1 is free")
}

/// Answers requests for ever, each connection on a thread of its own, as rung 2 does it:
/// a browser holds connections open on which it says nothing, and they must hold nobody up.
pub(super) fn answer_all(listener: &TcpListener, book: &Arc<Served>) {
    let mut errors = AcceptErrors::new();
    for stream in listener.incoming() {
        let answered = stream.and_then(|stream| {
            let book = Arc::clone(book);
            thread::Builder::new().name("connection".to_owned()).spawn(move || {
                // A browser that went away while we answered concerns nobody.
                let _ = answer(&stream, &book);
            })
        });
        if let Err(error) = answered {
            thread::sleep(errors.pause_after(&error));
        }
    }
}

fn answer(mut stream: &TcpStream, book: &Served) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    let until = Instant::now() + HEAD_TIME;
    let (request, response) = loop {
        match site::parse(&received) {
            Parsed::Request { request, length } => {
                let (head, body) = received.split_at(length);
                let response = match host::refusal(head) {
                    Some(refusal) => refusal,
                    None if request.path == START_PATH => {
                        let head = String::from_utf8_lossy(head);
                        match whole_body(stream, &head, body.to_vec(), until)? {
                            Some(body) => book.starts.respond(&head, &body),
                            None => Response::refusal(TOO_LARGE),
                        }
                    }
                    None => book.respond(&request),
                };
                break (Some(request), response);
            }
            Parsed::Refused(status) => break (None, Response::refusal(status)),
            Parsed::NeedMore => match read_until(stream, &mut buffer, until)? {
                0 => return Ok(()),
                count => received.extend_from_slice(&buffer[..count]),
            },
        }
    };
    let is_start = request.as_ref().is_some_and(|request| request.path == START_PATH);
    stream.write_all(&encode(&response, request.as_ref(), is_start))?;
    stream.shutdown(Shutdown::Write)?;
    // To close with unread input would be a reset, and could cost the client the answer.
    let until = Instant::now() + DRAIN_TIME;
    let mut drained = 0;
    while drained < DRAIN_LIMIT {
        match read_until(stream, &mut buffer, until)? {
            0 => break,
            count => drained += count,
        }
    }
    Ok(())
}

/// The body behind a head, as long as the head says; `None` if that is too long.
fn whole_body(
    stream: &TcpStream,
    head: &str,
    mut body: Vec<u8>,
    until: Instant,
) -> io::Result<Option<Vec<u8>>> {
    let length = header(head, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    if length > MOST_BODY {
        return Ok(None);
    }
    let mut buffer = [0; MOST_BODY];
    while body.len() < length {
        match read_until(stream, &mut buffer, until)? {
            0 => break,
            count => body.extend_from_slice(&buffer[..count]),
        }
    }
    body.truncate(length);
    Ok(Some(body))
}

/// The bytes of a response. No other site may show a page of ours in a frame, where it could have a reader press a button.
fn encode(response: &Response, request: Option<&Request>, is_start: bool) -> Vec<u8> {
    let bytes = response.encode(request, false);
    let end = bytes.windows(2).position(|end| end == b"\r\n").map_or(0, |line| line + 2);
    let (line, rest) = bytes.split_at(end);
    let mut more = "Content-Security-Policy: frame-ancestors 'self'\r\n".to_owned();
    if is_start {
        // It has the token, so it is neither kept nor taken for a script.
        more += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
    }
    if is_start && response.status.code == 405 {
        more += "Allow: GET, POST\r\n";
    }
    [line, more.as_bytes(), rest].concat()
}

fn read_until(mut stream: &TcpStream, buffer: &mut [u8], until: Instant) -> io::Result<usize> {
    let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    stream.set_read_timeout(Some(left))?;
    stream.read(buffer)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tempfile::TempDir;

    use super::*;
    use crate::testing::built;

    fn start() -> (TempDir, SocketAddr, Arc<Served>) {
        let folder = built();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let book = Arc::new(Served::new(folder.path(), folder.path().join("out")));
        let served = Arc::clone(&book);
        thread::spawn(move || answer_all(&listener, &served));
        (folder, address, book)
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        ask_as(&address.to_string(), address, request)
    }

    fn ask_as(host: &str, address: SocketAddr, request: &str) -> String {
        send(address, &format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    fn send(address: SocketAddr, head: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_are_served_with_their_types() {
        let (_folder, address, _book) = start();
        for (request, [start, part, end]) in [
            ("GET /sub/?x=1", ["200 ", "Content-Type: text/html; charset=utf-8", "</body></html>"]),
            ("GET /book.css", ["200 ", "Content-Type: text/css", "\r\n\r\np {}"]),
            ("HEAD /book.css", ["200 ", "Content-Length: 4", "\r\n\r\n"]),
            ("GET /../secret.txt", ["404 ", "not here", "</body></html>"]),
            ("POST /", ["405 ", "Allow: GET, HEAD", ""]),
        ] {
            let answer = ask(address, request);
            let rest = answer.strip_prefix("HTTP/1.1 ").unwrap_or_default();
            let right = rest.starts_with(start) && rest.contains(part) && rest.ends_with(end);
            assert!(right, "{request}: {answer}");
        }
    }

    /// A page of another site whose name leads to 127.0.0.1 now: its scripts must not read the book.
    #[test]
    fn a_rebound_name_gets_no_page() {
        let (_folder, address, _book) = start();
        let port = address.port();
        let own = format!("GET http://localhost:{port}/sub/");
        let answer = ask(address, &own);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("<body>sub"), "{answer}");

        // A port that another machine forwards to this one, as `ssh -L 9000:127.0.0.1:3000` does.
        let answer = ask_as("localhost:9000", address, "GET /sub/");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");

        let rebound = format!("rebound.example.org:{port}");
        let foreign = format!("GET http://{rebound}/");
        for (host, request) in [
            (rebound.as_str(), "GET /"),
            (rebound.as_str(), "GET /__version"),
            (rebound.as_str(), "HEAD /book.css"),
            (rebound.as_str(), own.as_str()),
            (address.to_string().as_str(), foreign.as_str()),
        ] {
            let answer = ask_as(host, address, request);
            let refused = answer.starts_with("HTTP/1.1 421 Misdirected Request\r\n");
            assert!(refused, "{host} {request}: {answer}");
            assert!(!answer.contains("start") && !answer.contains("version\":"), "{answer}");
            let says_why = answer.contains("only to the names of your own machine");
            assert_eq!(says_why, request.starts_with("GET"), "{host} {request}: {answer}");
        }

        // Without any Host, as 1.0 allows.
        let answer = send(address, "GET / HTTP/1.0\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
    }

    #[test]
    fn the_page_learns_of_builds_and_of_failures() {
        let (_folder, address, book) = start();
        // Connections that say nothing hold nobody up.
        let _silent: Vec<_> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
        let first = book.state().version;
        let wanted = format!(r#"{{"error":null,"version":{first}}}"#);
        assert!(ask(address, "GET /__version").ends_with(&wanted));
        // The page that another server has shown, and that is still open, learns of this one.
        thread::sleep(Duration::from_millis(2));
        assert_ne!(Served::new(Path::new(""), book.folder.clone()).state().version, first);
        *book.state() = State { version: 1, error: Some("a \"word\"".to_owned()) };
        let answer = ask(address, "GET /__version");
        assert!(answer.ends_with(r#"{"error":"a \"word\"","version":1}"#), "{answer}");
    }

    #[test]
    fn no_path_leads_out() {
        let folder = built();
        let out = folder.path().join("out");
        #[cfg(unix)]
        {
            let link = |target: &str, name: &str| {
                std::os::unix::fs::symlink(folder.path().join(target), out.join(name)).unwrap();
            };
            link("secret.txt", "link.txt");
            link("out-of-it", "linked");
        }
        let outside = r"/../secret.txt /sub/../../secret.txt /%2e%2e/secret.txt /..\secret.txt //../secret.txt
            /sub/.. /link.txt /linked/secret.txt /../out-of-it/secret.txt /C:/Windows/win.ini /etc/passwd
            //etc/passwd /%00 secret.txt http://127.0.0.1/index.html";
        for outside in outside.split_whitespace().chain(["", "/\0"]) {
            assert_eq!(find(&out, outside), None, "{outside}");
        }
        for inside in ["/", "/index.html", "//index.html", "/sub", "/sub/", "/./book.css"] {
            assert!(find(&out, inside).is_some(), "{inside}");
        }
    }

    /// A reader whose first build fails sees why.
    #[test]
    fn where_there_is_no_book_the_page_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let book = Served::new(folder.path(), folder.path().join("none"));
        book.state().error = Some("book/a.md:3: <b>".to_owned());
        let response = book.no_such_page();
        let body = String::from_utf8(response.body).unwrap();
        assert!(body.contains("book/a.md:3: &lt;b&gt;") && body.contains("refresh"), "{body}");
    }

    #[test]
    fn a_taken_port_is_passed_over() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_ne!(listen(port).unwrap().local_addr().unwrap().port(), port);
    }
}
