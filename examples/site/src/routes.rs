//! The pages of the site, and the work that each asks for.

use std::{
    hint::black_box,
    panic::panic_any,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::{
    Method, Options, Request, Response, Status,
    hello::{hello_html, warn_where_it_is_missing},
    request::decimal,
};

/// The page `/`.
pub const INDEX_HTML: &str = include_str!("../index.html");

/// The most that `/sleep?ms=` and `/tenth?ms=` take, in milliseconds.
const MAX_SLEEP_MS: u64 = 10_000;

/// The most that `/work?n=` takes, in rounds. It bounds what one request can cost.
const MAX_WORK: u64 = 100_000;

/// What a request asks for, in addition to its answer.
#[must_use = "the client waits for what this work produces"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing: the answer is ready.
    None,
    /// Wait this long, as a database query would.
    Sleep(Duration),
    /// Read this file.
    ReadFile(&'static Path),
    /// Call [`compute`] with this many rounds.
    Compute(u32),
}

/// What all connections of one server share.
#[derive(Debug, Default)]
pub struct Site {
    keep_alive: bool,
    panic_route: bool,
    /// Requests to `/tenth` so far, over all connections.
    tenth: AtomicU64,
    closing: AtomicBool,
    /// When the first signal came that stops the server.
    pub(crate) first_signal: OnceLock<Instant>,
}

impl Site {
    /// A site with the settings of the command line, ready to be shared between threads and tasks.
    ///
    /// Says so on standard error where the file that `/file` reads can't be found.
    pub fn new(options: &Options) -> Arc<Site> {
        warn_where_it_is_missing(options.rung());
        Arc::new(Site {
            keep_alive: options.keep_alive,
            panic_route: options.panic_route,
            ..Site::default()
        })
    }

    /// A site in one of the two connection modes, for tests that have no command line.
    pub fn with_keep_alive(keep_alive: bool) -> Arc<Site> {
        Arc::new(Site { keep_alive, ..Site::default() })
    }

    /// From now on every response closes its connection: the server is shutting down.
    pub fn start_closing(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Whether the connection stays open after the answer to `request`.
    pub(crate) fn keeps_alive(&self, request: &Request) -> bool {
        // Past a body that has not been read, the next request can't be found: such a connection ends.
        self.keep_alive
            && request.keep_alive
            && !request.has_body
            && !self.closing.load(Ordering::Relaxed)
    }

    /// Decides what `request` asks for: the work to do first, and the answer to send then.
    ///
    /// For [`Work::ReadFile`] and [`Work::Compute`] the answer's body is still empty: it is the work's result.
    ///
    /// # Panics
    /// On `/panic`, where `--panic-route` turned that route on. That is what the route is for.
    pub fn route(&self, request: &Request) -> (Work, Response) {
        let known =
            matches!(request.path.as_str(), "/" | "/sleep" | "/tenth" | "/file" | "/work" | "*")
                || (self.panic_route && request.path == "/panic");
        if !known {
            return (Work::None, Response::not_found());
        }
        if request.method == Method::Other {
            return (Work::None, Response::method_not_allowed());
        }
        self.page(request).unwrap_or_else(|refusal| (Work::None, refusal))
    }

    fn page(&self, request: &Request) -> Result<(Work, Response), Response> {
        let query = request.query.as_deref();
        Ok(match request.path.as_str() {
            "/sleep" => {
                let (pause, text) = Site::sleep(query)?;
                (Work::Sleep(pause), Response::text(Status::OK, text))
            }
            "/tenth" => {
                let (pause, text) = self.tenth(query)?;
                (pause.map_or(Work::None, Work::Sleep), Response::text(Status::OK, text))
            }
            "/file" => (Work::ReadFile(hello_html()), Response::html("")),
            "/work" => (Work::Compute(Site::rounds(query)?), Response::json("")),
            "/panic" => match query {
                Some("payload") => panic_any(PanicsWhenDropped),
                Some("drop") => {
                    let _dropped_by_the_panic = PanicsWhenDropped;
                    (Work::None, self.panic())
                }
                _ => (Work::None, self.panic()),
            },
            _ => (Work::None, Response::html(INDEX_HTML)),
        })
    }

    /// What `/sleep` asks for: how long to wait, and the text to send then.
    ///
    /// # Errors
    /// The refusal, where the query asks for something else than a time; so do the two below.
    pub fn sleep(query: Option<&str>) -> Result<(Duration, String), Response> {
        let ms = parameter(query, "ms", 100, MAX_SLEEP_MS)?;
        Ok((Duration::from_millis(ms), format!("slept {ms} ms\n")))
    }

    /// What this request to `/tenth` asks for: how long to wait, if it is the tenth, and the text to send.
    pub fn tenth(&self, query: Option<&str>) -> Result<(Option<Duration>, String), Response> {
        let ms = parameter(query, "ms", 2000, MAX_SLEEP_MS)?;
        // One atomic addition: no two requests get the same number, and no lock is held.
        let number = self.tenth.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(if number.is_multiple_of(10) {
            (Some(Duration::from_millis(ms)), format!("request {number} waited {ms} ms\n"))
        } else {
            (None, format!("request {number} did not wait\n"))
        })
    }

    /// What `/work` asks for: how many rounds of [`compute`].
    pub fn rounds(query: Option<&str>) -> Result<u32, Response> {
        Ok(parameter(query, "n", 100, MAX_WORK)? as u32)
    }

    /// The page `/panic`, which is there only with `--panic-route`.
    ///
    /// # Panics
    /// If it is there: that is what it is for.
    pub fn panic(&self) -> Response {
        if self.panic_route {
            panic!("somebody asked for /panic");
        }
        Response::not_found()
    }
}

/// The payload of `/panic?payload`: whoever catches that panic and drops it panics again. A local variable of
/// `/panic?drop`: that panic drops it, and a second panic meanwhile ends the process.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// The value of `name` in the query, or `default` where the query does not name it.
fn parameter(query: Option<&str>, name: &str, default: u64, most: u64) -> Result<u64, Response> {
    let query = query.unwrap_or_default();
    let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    match value {
        None => Ok(default),
        Some(digits) => {
            decimal(digits.as_bytes()).filter(|&value| value <= most).ok_or_else(|| {
                Response::bad_request(format_args!(
                    "{name} must be a whole number from 0 to {most}"
                ))
            })
        }
    }
}

/// The work of `/work`: in each round a formatted string, put into a small struct, turned into JSON.
///
/// Returns the JSON of the last round. CPU-bound work like the work of source 003,
/// which made the JSON only once, after its rounds.
pub fn compute(rounds: u32) -> String {
    let mut json = String::from("{}");
    for round in 0..rounds {
        let address = Address { street: "10 Downing Street", city: &format!("Value: {round}") };
        // black_box keeps the optimizer from dropping the rounds whose result is never read.
        json = black_box(
            serde_json::to_string(&address).expect("two strings always have a JSON form"),
        );
    }
    json
}

/// Two strings. Its `Serialize` is written by hand, because serde's derive would be
/// the largest thing that a learner of rung 1 compiles.
struct Address<'a> {
    street: &'a str,
    city: &'a str,
}

impl Serialize for Address<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Address", 2)?;
        fields.serialize_field("street", self.street)?;
        fields.serialize_field("city", self.city)?;
        fields.end()
    }
}
