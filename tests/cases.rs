//! The cases of the contract: functions of a server that runs somewhere, and of what it can. Each says
//! whether the server keeps its part of the contract, and where it does not, what was sent, what came and what was wanted.
//!
//! Who started the server, and how it is ended, is not their business. What takes a process of one's own (its
//! descriptors, its signals, a start of a certain kind) is a test in `tests/wire` or `tests/process`.

use std::{
    collections::BTreeSet,
    fs,
    net::SocketAddr,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    Client, DEADLINE, Excerpt, Failure, Response, harness::foreign::instead, probe::Answer,
    try_again,
};

pub mod catalogue;
pub mod http;
pub mod limits;
pub mod published;
pub mod routes;
pub mod rude;

/// A server that somebody has started.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it can, in the mode in which it runs.
    pub can: Abilities,
    /// What reads and writes HTTP for it, where it does not do so itself.
    pub library: Option<Library>,
    /// Whose pages it has.
    pub pages: Pages,
    /// When the time for a case is over, where it is the judge's.
    pub until: Option<Instant>,
}

/// Whose pages a server has.
#[derive(Clone, Copy, Debug)]
pub enum Pages {
    /// The site's: each is known, and so is every line of a response's head.
    Ours,
    /// Somebody else's: no page is known but `/`, by the body that it had at first; by none where that changes.
    Theirs(Option<&'static [u8]>),
}

/// What a server can, as far as a case depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Abilities {
    /// Keep a connection for the next request.
    pub keep_alive: bool,
    /// End a connection where it has said so.
    pub close: bool,
    /// Serve others while clients wait, however many do.
    pub serve_beside_waiting_clients: bool,
}

/// A library that reads and writes HTTP for a server.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Its name, by which `tests/wire/foreign.toml` has what it answers in its own way.
    pub name: &'static str,
    /// Whether it writes refusals, so that only their status is the contract's.
    pub refuses: bool,
}

impl Target {
    /// Whether a library writes its refusals.
    pub fn library_refuses(&self) -> bool {
        self.library.is_some_and(|library| library.refuses)
    }

    /// The name by which a client on this machine asks for it, with its port, as `Host` has it (RFC 9110, section 7.2).
    pub fn host(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// A plain request for its page `/`.
    pub fn plain_request(&self) -> Vec<u8> {
        format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", self.host()).into_bytes()
    }

    /// Whether nothing is known of it but its page `/`.
    pub fn is_theirs(&self) -> bool {
        matches!(self.pages, Pages::Theirs(_))
    }

    /// The page for which it is asked where one of ours is asked for this.
    pub fn page(&self, ours: &'static str) -> &'static str {
        if self.is_theirs() { "/" } else { ours }
    }

    /// How long a client waits for anything that should come at once.
    pub fn patience(&self) -> Duration {
        // Longer than our servers wait for a client that says nothing.
        if self.is_theirs() { Duration::from_secs(8) } else { DEADLINE }
    }

    /// How much of that is left, where the time for a case is over earlier: a moment at least.
    pub fn patience_left(&self) -> Duration {
        self.patience().min(self.time_left()).max(Duration::from_millis(1))
    }

    /// How much of the time for a case is left.
    pub fn time_left(&self) -> Duration {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        self.until.map_or(Duration::MAX, left)
    }

    /// Runs `attempt`, and again where that was too slow to prove anything: see [`crate::conclusive`]. The judge tries once:
    /// the machine is the learner's, and so is the server.
    ///
    /// # Errors
    /// That of the last attempt.
    pub fn conclusive<T>(
        &self,
        limit: Duration,
        mut attempt: impl FnMut() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.until.is_some() { attempt() } else { try_again(limit, attempt) }
    }

    /// What its library answers to the case of this name, where that is not what the contract says.
    pub fn instead(&self, case: &str) -> Option<&'static Answer> {
        instead(self.library?.name, case)
    }
}

/// The kind of content of a page.
pub const HTML: &str = "text/html; charset=utf-8";
/// That of a refusal, and of what `/sleep` and `/tenth` say.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// That of `/work`.
pub const JSON: &str = "application/json";
/// The body of `/`.
pub const INDEX: &[u8] = include_bytes!("../examples/site/index.html");

/// What a response to a plain HTTP/1.1 request must say about the connection in this mode.
pub fn usual(server: &Target) -> Option<&'static str> {
    if server.can.keep_alive { None } else { Some("close") }
}

/// Checks everything about a response but its body.
pub fn check_head(
    response: &Response,
    status: (u16, &str),
    kind: &str,
    connection: Option<&str>,
) -> Result<(), Failure> {
    let (code, reason) = status;
    let is_status = (response.status, response.reason.as_str()) == status;
    response.ensure(is_status, format_args!("{code} {reason}"))?;
    let names: BTreeSet<String> =
        response.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    response.ensure(names.len() == response.headers.len(), "each header line once")?;
    let allow = (code == 405).then_some("GET, HEAD");
    for (name, value) in [
        ("Content-Type", Some(kind)),
        ("Connection", connection),
        ("Transfer-Encoding", None),
        ("Allow", allow),
    ] {
        check_header(response, name, value)?;
    }

    let date = response.header("Date");
    let time = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let wanted = "a `Date` in the form that RFC 9110 prefers";
    let is_preferred = time.is_some_and(|time| date == Some(&httpdate::fmt_http_date(time)));
    response.ensure(is_preferred, wanted)?;
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    let is_now = time.is_some_and(|time| now - hour < time && time < now + hour);
    response.ensure(is_now, "the time now as its `Date`")
}

/// Checks a header line, or that there is none of this name.
pub fn check_header(response: &Response, name: &str, value: Option<&str>) -> Result<(), Failure> {
    let holds = response.header(name) == value;
    match value {
        Some(value) => response.ensure(holds, format_args!("the line `{name}: {value}`")),
        None => response.ensure(holds, format_args!("no line `{name}`")),
    }
}

/// Checks a 200 whole.
pub fn check_ok(
    response: &Response,
    kind: &str,
    body: &[u8],
    connection: Option<&str>,
) -> Result<(), Failure> {
    check_head(response, (200, "OK"), kind, connection)?;
    response.ensure(response.body == body, format_args!("the body {}", Excerpt::of(body)))
}

/// Checks a page: one of ours whole, and `/` of somebody else by its status, and against what it was at first.
pub fn check_page(
    server: &Target,
    response: &Response,
    kind: &str,
    body: &[u8],
    connection: Option<&str>,
) -> Result<(), Failure> {
    match server.pages {
        Pages::Ours => check_ok(response, kind, body, connection),
        Pages::Theirs(first) => {
            response.ensure(response.status == 200, "a 200")?;
            let is_same = first.is_none_or(|first| response.body == first);
            response.ensure(is_same, "the page `/` as it was at first")
        }
    }
}

/// Whether a response says that its connection ends: one in HTTP/1.0 does so without a word (RFC 9112, section 9.3).
pub fn says_close(response: &Response) -> bool {
    let options = response.values("Connection").flat_map(|value| value.split(','));
    let options: Vec<&str> = options.map(str::trim).collect();
    let says = |wanted: &str| options.iter().any(|option| option.eq_ignore_ascii_case(wanted));
    says("close") || response.head.starts_with(b"HTTP/1.0 ") && !says("keep-alive")
}

/// The client for the next request: another one where this response ends its connection, as that of somebody else's server
/// may at any time (RFC 9112, section 9.3).
///
/// # Errors
/// When the connection does not end, or there is no next one.
pub fn go_on(mut client: Client, response: &Response) -> Result<Client, Failure> {
    let server = client.server;
    if !server.is_theirs() || !says_close(response) {
        return Ok(client);
    }
    client.ends()?;
    Client::connect(&server)
}

/// Checks a refusal: its status in the body too, and a connection that ends. Where a library refuses a request, no
/// handler of ours sees it, and the text is the library's.
pub fn check_refusal(client: &mut Client, status: (u16, &str)) -> Result<(), Failure> {
    let response = client.response()?;
    let (code, reason) = status;
    if client.server.library_refuses() {
        response.ensure(response.status == code, format_args!("a {code}"))?;
        check_header(&response, "Connection", Some("close"))?;
    } else {
        check_head(&response, status, TEXT, Some("close"))?;
        let text = format!("{code} {reason}\n");
        response.ensure(response.text() == text, format_args!("the body {text:?}"))?;
    }
    client.ends()
}

/// Sends one request on a connection of its own, and reads the answer. The connection is then closed.
pub fn ask(server: &Target, target: &str) -> Result<Response, Failure> {
    Client::asking(server, target)?.response()
}

/// Checks that the server still does what it is there for.
pub fn still_answers(server: &Target) -> Result<(), Failure> {
    check_page(server, &ask(server, "/")?, HTML, INDEX, usual(server))
}

/// The number that the next request to `/tenth` is given. It takes a number itself, and waits if that is a tenth.
///
/// # Errors
/// When `/tenth` answers anything else.
pub fn next_number(server: &Target) -> Result<u64, Failure> {
    let response = ask(server, "/tenth?ms=0")?;
    match number(response.text()) {
        Some(number) => Ok(number + 1),
        None => Err(response.failure("the number of a request")),
    }
}

/// The number in an answer of `/tenth`: `request 3 did not wait`.
pub fn number(text: &str) -> Option<u64> {
    text.strip_prefix("request ")?.split(' ').next()?.parse().ok()
}

/// A target, and the kind of content and the body of its page.
pub type Route = (&'static str, &'static str, Vec<u8>);

/// Where a response ends in a body: every route, what kind of content it sends, and which. They are to be asked in this
/// order, each once, and by nobody else. Of somebody else's server it is `/`.
///
/// # Errors
/// As [`next_number`].
///
/// # Panics
/// When the site's file can't be read.
pub fn routes(server: &Target) -> Result<Vec<Route>, Failure> {
    if server.is_theirs() {
        return Ok(vec![("/", HTML, INDEX.to_vec())]);
    }
    let file = fs::read(site::hello_html()).expect("the site has its file");
    let number = next_number(server)?;
    let tenth = |number: u64, ms: u32| match number % 10 {
        0 => format!("request {number} waited {ms} ms\n").into_bytes(),
        _ => format!("request {number} did not wait\n").into_bytes(),
    };
    Ok(vec![
        ("/", HTML, INDEX.to_vec()),
        ("/?", HTML, INDEX.to_vec()),
        ("/?ms=nonsense", HTML, INDEX.to_vec()),
        ("/sleep", TEXT, b"slept 100 ms\n".to_vec()),
        ("/sleep?ms=0", TEXT, b"slept 0 ms\n".to_vec()),
        ("/sleep?other=1&ms=7", TEXT, b"slept 7 ms\n".to_vec()),
        ("/tenth", TEXT, tenth(number, 2000)),
        ("/tenth?ms=5", TEXT, tenth(number + 1, 5)),
        ("/file", HTML, file.clone()),
        ("/file?version=2", HTML, file),
        ("/work", JSON, site::compute(100).into_bytes()),
        ("/work?n=0", JSON, b"{}".to_vec()),
        ("/work?n=3", JSON, site::compute(3).into_bytes()),
    ])
}
