//! The web server for whoever reads or writes the book: loopback only, and it rebuilds on change.

mod host;

use std::{
    fs,
    io::{self, ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow};
use base::say;
use mdbook_renderer::RenderContext;
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use records::results;
use site::{
    AcceptErrors, DRAIN_LIMIT, DRAIN_TIME, HEAD_TIME, Method, Parsed, Request, Response, Status,
    WRITE_TIME,
};

use crate::{build as book, build::BuildOptions, changed, check::percent_decode};

/// How long nothing may change before we rebuild: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// How long nothing more may change before the whole book follows the pages that changed.
const WHOLE_AFTER: Duration = Duration::from_secs(2);

/// How many ports after the wished one are tried before any free one is taken.
const PORTS_TRIED: u16 = 20;

/// Where the page asks whether it is still the newest.
const VERSION_PATH: &str = "/__version";

/// Put into each page on its way out; the files themselves stay as they are.
const RELOAD_SCRIPT: &str = r#"<script>
(() => {
    let seen;
    let box;
    const show = (error) => {
        if (!error) {
            box?.remove();
            box = undefined;
            return;
        }
        if (!box) {
            box = document.createElement('pre');
            box.setAttribute('role', 'alert');
            box.style.cssText = 'position:fixed;inset:auto 0 0 0;max-height:50vh;overflow:auto;margin:0;' +
                'padding:1em;z-index:10000;background:#7a0000;color:#fff;font:14px/1.4 monospace;white-space:pre-wrap';
            document.body.append(box);
        }
        box.textContent = 'The book could not be built again; this is the last good one.\n' + error;
    };
    const ask = async () => {
        try {
            const state = await (await fetch('/__version', { cache: 'no-store' })).json();
            if (seen !== undefined && state.version !== seen) {
                location.reload();
                return;
            }
            seen = state.version;
            show(state.error);
        } catch {
            // The server is gone, or not back yet.
        }
        setTimeout(ask, 250);
    };
    ask();
})();
</script>
"#;

/// What the page is told when it asks.
#[derive(Debug, Default)]
struct State {
    /// Counts the good builds.
    version: u64,
    /// Why the last build failed, if it did.
    error: Option<String>,
}

/// The book that is served.
#[derive(Debug)]
pub struct Site {
    folder: PathBuf,
    state: Mutex<State>,
    /// Held for writing while one book takes the place of another.
    exchange: RwLock<()>,
}

impl Site {
    /// Serves the files of this folder.
    pub fn new(folder: PathBuf) -> Site {
        Site { folder, state: Mutex::default(), exchange: RwLock::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds the book, serves it, and builds it again whenever a source changes. Ends with the process.
///
/// # Errors
/// When the settings are dangerous, or no port can be had.
pub fn serve(root: &Path, port: u16, open: bool, options: BuildOptions) -> Result<()> {
    let options = BuildOptions { lenient: true, ..options };
    crate::check::check_settings(root)?;
    // The port first: whoever has it keeps it, and we say so before the work.
    let listener = listen(port)?;
    let url = format!("http://{}/", listener.local_addr().context("cannot tell the port")?);
    if let Some(folder) = &options.results {
        // Once at the start: a reader who asked for these figures must not be shown others.
        results::Results::read(folder)?.complete()?;
    }
    let yours = options.yours.as_deref().filter(|folder| folder.is_dir());
    if let Some(folder) = yours
        && book::own_results(folder).unwrap_or(false)
    {
        let folder = folder.strip_prefix(root).unwrap_or(folder).display();
        say(format_args!("Your own figures in {folder} stand beside the book's."));
    }
    let watched: Vec<&Path> = options.results.as_deref().into_iter().chain(yours).collect();
    let changes = watch(root, &watched)?;
    say("Building the book …");
    let site = Arc::new(Site::new(destination(root, &options)?));
    let mut rendered = rebuild(&site, root, &options);
    say(format_args!("The book is at {url} (Ctrl-C ends this)."));
    if open && let Err(error) = open::that_detached(&url) {
        say(format_args!("No browser could be opened ({error}); open that address yourself."));
    }
    let server = Arc::clone(&site);
    thread::spawn(move || answer_all(&listener, &server));
    // Whether pages are shown that the search and the page for printing don't know yet.
    let mut is_behind = false;
    loop {
        let wait = if is_behind { WHOLE_AFTER } else { Duration::MAX };
        let change = changes.recv_timeout(wait);
        if change == Err(RecvTimeoutError::Disconnected) {
            return Ok(());
        }
        // What changed while the last book was built is in the next one.
        while changes.try_recv().is_ok() {}
        is_behind = change.is_ok()
            && rendered.as_mut().is_some_and(|last| show_changed(&site, root, &options, last));
        if !is_behind {
            rendered = rebuild(&site, root, &options).or(rendered);
        }
    }
}

/// Shows the pages that changed, and nothing else. Whether that did.
fn show_changed(
    site: &Site,
    root: &Path,
    options: &BuildOptions,
    last: &mut RenderContext,
) -> bool {
    let start = Instant::now();
    // What is wrong is said by the build of the whole book, which follows.
    let Ok(Some(pages)) = book::build_changed(root, options, last) else { return false };
    let alone = site.exchange.write().unwrap_or_else(PoisonError::into_inner);
    if changed::put(&pages, &site.folder).is_err() {
        return false;
    }
    drop(alone);
    let mut state = site.state();
    state.error = None;
    state.version += 1;
    drop(state);
    let names: Vec<String> = pages.iter().map(|(name, _)| name.display().to_string()).collect();
    say(format_args!("{} is new, after {:.1} s.", names.join(", "), start.elapsed().as_secs_f64()));
    true
}

fn destination(root: &Path, options: &BuildOptions) -> Result<PathBuf> {
    if let Some(folder) = &options.destination {
        return Ok(folder.clone());
    }
    let mut config = mdbook_driver::config::Config::from_disk(root.join("book.toml"))?;
    config.update_from_env()?;
    Ok(root.join(config.build.build_dir))
}

/// Binds this port of 127.0.0.1 or, if it is taken, one of the next ones.
fn listen(port: u16) -> Result<TcpListener> {
    let mut wishes: Vec<u16> =
        (0..=PORTS_TRIED).filter_map(|more| port.checked_add(more)).collect();
    wishes.push(0);
    let mut refused: Option<io::Error> = None;
    for wish in wishes {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, wish)) {
            Ok(listener) => {
                let bound = listener.local_addr().context("cannot tell the port")?.port();
                if port != 0 && bound != port {
                    let why = match &refused {
                        Some(error) if error.kind() != ErrorKind::AddrInUse => error.to_string(),
                        _ => "another program holds it".to_owned(),
                    };
                    say(format_args!("Port {port} can't be had ({why}); using {bound}."));
                }
                return Ok(listener);
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) =>
            {
                // The first one is about the port that was asked for.
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error).context("cannot listen on 127.0.0.1"),
        }
    }
    Err(anyhow!("no port of 127.0.0.1 is free"))
}

/// Builds the whole book. What was rendered, if it could be.
fn rebuild(site: &Site, root: &Path, options: &BuildOptions) -> Option<RenderContext> {
    let start = Instant::now();
    let mut is_new = true;
    let built = book::build(root, options, |fresh, destination| {
        // Where all changes are shown already, nobody's page has to load again.
        is_new = !changed::look_the_same(fresh, destination).unwrap_or(false);
        let _alone = site.exchange.write().unwrap_or_else(PoisonError::into_inner);
        book::replace(fresh, destination)
    });
    match built {
        Ok(built) => {
            let mut state = site.state();
            state.error = None;
            state.version += u64::from(is_new);
            drop(state);
            for problem in &built.problems {
                eprintln!("warning: {problem}");
            }
            say(format_args!("The whole book took {:.1} s.", start.elapsed().as_secs_f64()));
            Some(built.rendered)
        }
        Err(error) => {
            let text = format!("{error:#}");
            eprintln!("error: {text}");
            site.state().error = Some(text);
            None
        }
    }
}

/// A message whenever something changed and then nothing more for a moment.
fn watch(root: &Path, results: &[&Path]) -> Result<mpsc::Receiver<()>> {
    let (events, raw) = mpsc::channel();
    let mut folders = vec![root.join("book"), root.join("examples"), root.join("exercises")];
    let root = root.to_path_buf();
    for results in results {
        let found = fs::canonicalize(results);
        folders.push(found.with_context(|| format!("cannot watch {}", results.display()))?);
    }
    let mut watcher = start_watcher(&root, &folders, &events)?;
    let (sender, changes) = mpsc::channel();
    let single = ["book.toml", "README.md"].map(|file| root.join(file));
    // Its folders are the reader's own.
    let live = root.join("live");
    thread::spawn(move || {
        let matters = |event: &notify::Result<Event>| {
            let Ok(event) = event else { return true };
            // Reading a file is an event too; to answer that with a build, which reads, would never end.
            let writes = matches!(
                event.kind,
                EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Any
            );
            writes
                && event.paths.iter().any(|path| {
                    let listing = path.extension().is_some_and(|ending| ending == "rs");
                    single.contains(path)
                        || listing && path.parent() == Some(&live)
                        || folders.iter().any(|folder| path.starts_with(folder))
                            // A learner's own files are on no page.
                            && !workshop::exercises::is_own(&root, path)
                })
        };
        // The watcher must live as long as this thread listens to it.
        let _watcher = &mut watcher;
        while let Ok(event) = raw.recv() {
            if !matters(&event) {
                continue;
            }
            loop {
                match raw.recv_timeout(QUIET) {
                    Ok(_) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    Ok(changes)
}

type Events = mpsc::Sender<notify::Result<Event>>;

fn start_watcher(
    root: &Path,
    folders: &[PathBuf],
    events: &Events,
) -> Result<Box<dyn Watcher + Send>> {
    let watch = |watcher: &mut dyn Watcher| -> notify::Result<()> {
        // An editor replaces a file by a new one, so its folder is what is watched.
        watcher.watch(root, RecursiveMode::NonRecursive)?;
        watcher.watch(&root.join("live"), RecursiveMode::NonRecursive)?;
        folders.iter().try_for_each(|folder| watcher.watch(folder, RecursiveMode::Recursive))
    };
    let native = RecommendedWatcher::new(events.clone(), Config::default())
        .and_then(|mut watcher| watch(&mut watcher).map(|()| watcher));
    match native {
        Ok(watcher) => Ok(Box::new(watcher)),
        // The system may have run out of watches, or have none in a container.
        Err(_) => {
            let every_second = Config::default().with_poll_interval(Duration::from_secs(1));
            let mut watcher = PollWatcher::new(events.clone(), every_second)
                .context("cannot watch the book's files")?;
            watch(&mut watcher).context("cannot watch the book's files")?;
            Ok(Box::new(watcher))
        }
    }
}

/// Answers requests for ever, each connection on a thread of its own, as rung 2 does it:
/// a browser holds connections open on which it says nothing, and they must hold nobody up.
fn answer_all(listener: &TcpListener, site: &Arc<Site>) {
    let mut errors = AcceptErrors::new();
    for stream in listener.incoming() {
        let answered = stream.and_then(|stream| {
            let site = Arc::clone(site);
            thread::Builder::new().name("connection".to_owned()).spawn(move || {
                // A browser that went away while we answered concerns nobody.
                let _ = answer(&stream, &site);
            })
        });
        if let Err(error) = answered {
            thread::sleep(errors.pause_after(&error));
        }
    }
}

/// Reads one request, answers it, and closes.
fn answer(mut stream: &TcpStream, site: &Site) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    let until = Instant::now() + HEAD_TIME;
    let (request, response) = loop {
        match site::parse(&received) {
            Parsed::Request { request, length } => {
                let refusal = host::refusal(&received[..length], stream.local_addr()?.port());
                let response = refusal.unwrap_or_else(|| respond(site, &request));
                break (Some(request), response);
            }
            Parsed::Refused(status) => break (None, Response::refusal(status)),
            Parsed::NeedMore => match read_until(stream, &mut buffer, until)? {
                0 => return Ok(()),
                count => received.extend_from_slice(&buffer[..count]),
            },
        }
    };
    stream.write_all(&response.encode(request.as_ref(), false))?;
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

fn read_until(mut stream: &TcpStream, buffer: &mut [u8], until: Instant) -> io::Result<usize> {
    let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    stream.set_read_timeout(Some(left))?;
    stream.read(buffer)
}

fn respond(site: &Site, request: &Request) -> Response {
    if request.method == Method::Other {
        return Response::refusal(Status::METHOD_NOT_ALLOWED);
    }
    let (status, content_type, body) = page(site, &request.path);
    Response { status, content_type, body }
}

/// The status, the content type and the body for the path of a request.
fn page(site: &Site, path: &str) -> (Status, &'static str, Vec<u8>) {
    if path == VERSION_PATH {
        let state = site.state();
        let body = serde_json::json!({ "version": state.version, "error": state.error });
        return (Status::OK, "application/json", body.to_string().into_bytes());
    }
    let _together = site.exchange.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = find(&site.folder, path).or_else(|| search_index(&site.folder, path))
        && let Ok(body) = fs::read(&file)
    {
        let content_type = content_type(&file);
        return (Status::OK, content_type, with_script(content_type, body));
    }
    let html = "text/html; charset=utf-8";
    match fs::read(site.folder.join("404.html")) {
        Ok(body) => (Status::NOT_FOUND, html, with_script(html, body)),
        Err(_) => {
            let body = b"<!DOCTYPE html><html lang=\"en\"><title>No such page</title><body>\
                         <p>There is no such page.</p></body></html>";
            (Status::NOT_FOUND, html, with_script(html, body.to_vec()))
        }
    }
}

fn with_script(content_type: &str, body: Vec<u8>) -> Vec<u8> {
    if !content_type.starts_with("text/html") {
        return body;
    }
    let Ok(mut text) = String::from_utf8(body) else { return Vec::new() };
    let end = text.rfind("</body>").unwrap_or(text.len());
    text.insert_str(end, RELOAD_SCRIPT);
    text.into_bytes()
}

/// The file that a request's path names; `None` if it names none inside the folder.
///
/// However the path is written (`..`, percent signs, backslashes, a drive, a
/// symbolic link), what comes out lies in the folder: in the end the file system
/// itself says where the file is.
pub fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = percent_decode(path)?;
    let mut file = fs::canonicalize(folder).ok()?;
    let folder = file.clone();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            // A backslash separates and a colon names a drive on Windows; no file of the book has either.
            ".." => return None,
            part if part.contains(['\\', ':', '\0']) => return None,
            part => file.push(part),
        }
    }
    let mut file = fs::canonicalize(file).ok()?;
    if file.is_dir() {
        file = fs::canonicalize(file.join("index.html")).ok()?;
    }
    (file.starts_with(&folder) && file.is_file()).then_some(file)
}

/// The search index, by whatever name it had when an open page was made.
fn search_index(folder: &Path, path: &str) -> Option<PathBuf> {
    let is_one = changed::is_search_index(path.strip_prefix('/')?);
    is_one.then(|| changed::search_index(folder)).flatten().map(|name| folder.join(name))
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("out/sub")).unwrap();
        fs::create_dir_all(root.join("out-of-it")).unwrap();
        for (name, text) in [
            ("out/index.html", "<html><body>start</body></html>"),
            ("out/a b.html", "<html><body>a b</body></html>"),
            ("out/404.html", "<html><body>not here</body></html>"),
            ("out/sub/index.html", "<html><body>sub</body></html>"),
            ("out/book.css", "p {}"),
            ("secret.txt", "secret"),
            ("out-of-it/secret.txt", "secret"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn no_path_leads_out() {
        let folder = folder();
        let out = folder.path().join("out");
        #[cfg(unix)]
        {
            let link = |target: &str, name: &str| {
                std::os::unix::fs::symlink(folder.path().join(target), out.join(name)).unwrap();
            };
            link("secret.txt", "link.txt");
            link("out-of-it", "linked");
        }
        for outside in [
            "/../secret.txt",
            "/sub/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..%5csecret.txt",
            "/..\\secret.txt",
            "//../secret.txt",
            "/sub/..",
            "/link.txt",
            "/linked/secret.txt",
            "/../out-of-it/secret.txt",
            "/C:/Windows/win.ini",
            "/C%3A%5CWindows",
            "/etc/passwd",
            "//etc/passwd",
            "/%00",
            "/%",
            "/%ff",
            "secret.txt",
            "",
            "http://127.0.0.1/index.html",
        ] {
            assert_eq!(find(&out, outside), None, "{outside}");
        }
        for inside in
            ["/", "/index.html", "//index.html", "/a%20b.html", "/sub", "/sub/", "/./book.css"]
        {
            assert!(find(&out, inside).is_some(), "{inside}");
        }
    }

    fn start() -> (tempfile::TempDir, SocketAddr, Arc<Site>) {
        let folder = folder();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let site = Arc::new(Site::new(folder.path().join("out")));
        let server = Arc::clone(&site);
        thread::spawn(move || answer_all(&listener, &server));
        (folder, address, site)
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        ask_as(&address.to_string(), address, request)
    }

    fn ask_as(host: &str, address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn pages_have_the_script_and_files_do_not() {
        let (_folder, address, _site) = start();
        let answer = ask(address, "GET /sub/?x=1");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("Content-Type: text/html; charset=utf-8"), "{answer}");
        assert!(answer.contains("sub<script>"), "{answer}");
        let answer = ask(address, "GET /book.css");
        assert!(answer.ends_with("\r\n\r\np {}"), "{answer}");
        assert!(answer.contains("Content-Type: text/css"), "{answer}");
        let answer = ask(address, "HEAD /book.css");
        assert!(answer.contains("Content-Length: 4") && answer.ends_with("\r\n\r\n"), "{answer}");
        let answer = ask(address, "GET /../secret.txt");
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
        assert!(answer.contains("not here"), "{answer}");
        let answer = ask(address, "POST /");
        assert!(
            answer.starts_with("HTTP/1.1 405 ") && answer.contains("Allow: GET, HEAD"),
            "{answer}"
        );
    }

    /// A page of another site whose name leads to 127.0.0.1 now: its scripts must not read the book.
    #[test]
    fn a_rebound_name_gets_no_page() {
        let (_folder, address, _site) = start();
        let port = address.port();
        for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
            let answer = ask_as(&format!("{host}:{port}"), address, "GET /");
            assert!(answer.starts_with("HTTP/1.1 200 "), "{host}: {answer}");
        }
        let own = format!("GET http://localhost:{port}/sub/");
        let answer = ask(address, &own);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("sub<script>"), "{answer}");

        let rebound = format!("rebound.example.org:{port}");
        let next = format!("localhost:{}", port.wrapping_add(1));
        let foreign = format!("GET http://{rebound}/");
        for (host, request) in [
            (rebound.as_str(), "GET /"),
            (rebound.as_str(), "GET /__version"),
            (rebound.as_str(), "HEAD /book.css"),
            (rebound.as_str(), own.as_str()),
            (address.to_string().as_str(), foreign.as_str()),
            (next.as_str(), "GET /"),
            ("localhost", "GET /"),
        ] {
            let answer = ask_as(host, address, request);
            assert!(
                answer.starts_with("HTTP/1.1 421 Misdirected Request\r\n"),
                "{host} {request}: {answer}"
            );
            assert!(!answer.contains("start") && !answer.contains("version\":"), "{answer}");
            let says_why = answer.contains("only to the names of your own machine");
            assert_eq!(says_why, request.starts_with("GET"), "{host} {request}: {answer}");
        }

        // Without any Host, as 1.0 allows.
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
    }

    #[test]
    fn the_page_learns_of_builds_and_of_failures() {
        let (_folder, address, site) = start();
        // Connections that say nothing hold nobody up.
        let _silent: Vec<_> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
        assert!(ask(address, "GET /__version").ends_with(r#"{"error":null,"version":0}"#));
        *site.state() = State { version: 1, error: Some("a \"word\"".to_owned()) };
        let answer = ask(address, "GET /__version");
        assert!(answer.ends_with(r#"{"error":"a \"word\"","version":1}"#), "{answer}");
    }

    #[test]
    fn a_taken_port_is_passed_over() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_ne!(listen(port).unwrap().local_addr().unwrap().port(), port);
    }

    #[test]
    fn a_change_is_noticed_and_reading_is_none() {
        let folder = folder();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["book", "examples", "exercises", "live", "target", "target/results"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let changes = watch(&root, &[&root.join("target/results")]).unwrap();
        for own in ["target/x", "live/Cargo.lock", "exercises/progress.json"] {
            fs::write(root.join(own), "").unwrap();
        }
        fs::read(root.join("secret.txt")).unwrap();
        assert!(changes.recv_timeout(Duration::from_millis(600)).is_err());
        for matters in
            ["examples/x.rs", "target/results/machine.json", "README.md", "live/wrong.rs"]
        {
            fs::write(root.join(matters), "").unwrap();
            changes.recv_timeout(Duration::from_secs(20)).unwrap();
        }
    }
}
