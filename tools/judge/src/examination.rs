//! The examination: the first look at a server, the cases that are put to it, and the outcome of each.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail, ensure};
use ladder_tests::{
    Client, Excerpt, Failure, Response,
    cases::{
        self, Abilities, Pages, Target,
        catalogue::{CATALOGUE, Entry, Level, Needs},
        published, says_close,
    },
    probe::{self, Verdict},
};
use serde::Serialize;

use crate::server::Server;

/// How long a case may take: whatever it waits for then fails.
const CASE_TIME: Duration = Duration::from_secs(30);

/// Limits the time that a server has, to that of a case.
fn with_case_time(server: &Target) -> Target {
    Target { until: Some(Instant::now() + CASE_TIME), ..*server }
}

/// Why a server has not answered its first client.
enum Silence {
    /// It may do so yet: a port can be open before its server is ready, as behind a proxy.
    NotYet(String),
    /// It speaks something else.
    Never(String),
}

/// Waits until a server answers, and returns its first client with that answer.
pub fn await_answer(judged: &mut Server) -> Result<(Client, Response)> {
    let start = Instant::now();
    loop {
        let is_late = start.elapsed() > judged.time_to_answer();
        let why = match judged.client() {
            Some(client) => match first_answer(client) {
                Ok(answered) => return Ok(answered),
                Err(Silence::Never(why)) => bail!(why),
                Err(Silence::NotYet(why)) => why,
            },
            None if judged.command().is_none() => {
                bail!("no server listens on port {}", judged.address().port());
            }
            None => "it listens no more".to_owned(),
        };
        if judged.has_ended() {
            bail!("{why}; the command has ended{}", judged.reason());
        }
        ensure!(!is_late, why);
        thread::sleep(Duration::from_millis(100));
    }
}

/// Asks for the page, as the first client of all.
fn first_answer(mut client: Client) -> Result<(Client, Response), Silence> {
    let server = with_case_time(&client.server);
    client.server = server;
    // It may be closed already.
    let _ = client.try_send(server.plain_request());
    let patience = server.patience();
    let seconds = patience.as_secs();
    if !client.hears_within(patience) {
        let why =
            format!("it hangs: the server takes a connection and says nothing for {seconds} s");
        return Err(Silence::NotYet(why));
    }
    match client.begun() {
        [] => {
            let why = "it closes at once: the server takes a connection and ends it without a word";
            return Err(Silence::NotYet(why.to_owned()));
        }
        // A record of TLS: its kind, and its version (RFC 8446, section 5.1).
        [20..=23, 3, ..] => {
            let why = "it speaks TLS: the judge asks in plain HTTP";
            return Err(Silence::Never(why.to_owned()));
        }
        _ => {}
    }
    match client.response() {
        // A proxy says so as long as what is behind it is not ready.
        Ok(response) if [502, 503, 504].contains(&response.status) => {
            Err(Silence::NotYet(format!("its page `/` answers {}", response.status)))
        }
        Ok(response) => Ok((client, response)),
        Err(Failure { came, wanted, .. }) => Err(Silence::Never(format!(
            "it does not answer a plain request: {came}; what was wanted: {wanted}"
        ))),
    }
}

/// Finds out before any case what a server can. Fails where no case could be put to it.
pub fn inspect(mut client: Client, first: Response) -> Result<Target> {
    let server = with_case_time(&client.server);
    let status = first.status;
    ensure!(status == 200, "its page `/` answers {status}: the judge needs a page there");
    let keep_alive = first.head.starts_with(b"HTTP/1.1 ") && !says_close(&first) && {
        let _ = client.try_send(server.plain_request());
        matches!(client.response_if_any(true), Ok(Ok(_)))
    };
    drop(client);
    // A page with the time on it is another one in the next second, and one that shows the request has this line on it.
    thread::sleep(Duration::from_millis(1100));
    let second = match ask_in_other_words(&server) {
        Ok(response) => response,
        Err(why) => bail!("it answers its first client and not the second: {}", why.came),
    };
    let is_same = first.body == second.body;
    let body: Option<&'static [u8]> = if is_same { Some(first.body.leak()) } else { None };
    let can = Abilities { keep_alive, ..server.can };
    Ok(Target { can, pages: Pages::Theirs(body), ..server })
}

/// Asks for the page with one header line more.
fn ask_in_other_words(server: &Target) -> Result<Response, Failure> {
    let mut client = Client::connect(server)?;
    client.send(format!("GET / HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\n\r\n", server.host()))?;
    client.response()
}

/// Looks whether the page is still as it was at first. Where it is not, it is known no more, and no case compares it.
fn page_has_changed(server: &mut Target) -> bool {
    let Pages::Theirs(Some(first)) = server.pages else { return false };
    let has_changed = cases::ask(&with_case_time(server), "/").is_ok_and(|page| page.body != first);
    if has_changed {
        server.pages = Pages::Theirs(None);
    }
    has_changed
}

/// Checks that a server serves a client.
pub fn still_serves(server: &Target) -> Result<(), Failure> {
    // Any page will do: it may have changed since.
    let server = Target { pages: Pages::Theirs(None), ..with_case_time(server) };
    cases::still_answers(&server)
}

/// The outcome of a case.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome")]
pub enum Outcome {
    /// It could not be put.
    #[serde(rename = "not asked")]
    Skipped {
        /// Why not.
        because: Obstacle,
    },
    /// As it should be.
    #[serde(rename = "held")]
    Held,
    /// Allowed, although the outside judge would have it otherwise.
    #[serde(rename = "allowed")]
    Allowed {
        /// Who allows it.
        by: &'static str,
    },
    /// Not as it should be.
    #[serde(rename = "failed")]
    Failed(Failure),
}

/// A reason for which a case could not be put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub enum Obstacle {
    /// It is about kept connections.
    KeepsNone,
    /// It is about connections that are not kept.
    Keeps,
    /// It is about the pages of the site.
    LacksPages,
    /// The judge had to stop before.
    Stopped,
    /// The judge's own system gave it no connection, in these words.
    Shortage(String),
}

impl Obstacle {
    /// Tells whether it is in the nature of the server: then nothing was left out.
    pub fn is_of_server(&self) -> bool {
        matches!(self, Obstacle::KeepsNone | Obstacle::Keeps | Obstacle::LacksPages)
    }
}

impl From<Obstacle> for String {
    fn from(obstacle: Obstacle) -> String {
        let text = match obstacle {
            Obstacle::KeepsNone => "the server keeps no connection",
            Obstacle::Keeps => "the server keeps connections",
            Obstacle::LacksPages => "the server does not have all pages of the site",
            Obstacle::Stopped => "the judge had stopped",
            Obstacle::Shortage(words) => {
                return format!("the judge itself has too little: {words}");
            }
        };
        text.to_owned()
    }
}

/// A case.
#[derive(Debug)]
pub enum Case {
    /// One of our tests.
    Ours(&'static Entry),
    /// One of the outside judge, with its name.
    Outside(&'static str, &'static probe::Case),
}

/// Lists all cases in the order in which they are put: ours by who asks for them, and then the outside judge's.
pub fn cases() -> Vec<Case> {
    let levels = [Level::Standard, Level::Clients, Level::Contract];
    let ours =
        levels.into_iter().flat_map(|level| CATALOGUE.iter().filter(move |it| it.level == level));
    ours.map(Case::Ours)
        .chain(probe::CASES.iter().map(|(name, case)| Case::Outside(name, case)))
        .collect()
}

/// Puts a case to a server, and again where it fails: what fails once may have been an accident, also on our side. A server
/// that serves nobody after the first time is not asked again.
pub fn examine(case: &Case, server: &mut Target, has_site: bool) -> Outcome {
    let first = case.run(server, has_site);
    if !matches!(first, Outcome::Failed(_)) || still_serves(server).is_err() {
        return first;
    }
    page_has_changed(server);
    let second = case.run(server, has_site);
    // It may have changed between the two.
    if matches!(second, Outcome::Failed(_)) && page_has_changed(server) {
        return case.run(server, has_site);
    }
    second
}

impl Case {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Case::Ours(entry) => entry.name,
            Case::Outside(name, _) => name,
        }
    }

    /// Puts it to a server once, if it can be put to this one.
    fn run(&self, server: &Target, has_site: bool) -> Outcome {
        let server = with_case_time(server);
        match self {
            Case::Ours(entry) => run_ours(entry, &server, has_site),
            Case::Outside(_, case) => run_published(case, &server),
        }
    }
}

/// Puts one of our cases, if it concerns this server.
fn run_ours(entry: &Entry, server: &Target, has_site: bool) -> Outcome {
    let obstacle = match entry.needs {
        Needs::Keeping if !server.can.keep_alive => Some(Obstacle::KeepsNone),
        Needs::Closing if server.can.keep_alive => Some(Obstacle::Keeps),
        Needs::Site if !has_site => Some(Obstacle::LacksPages),
        _ => None,
    };
    if let Some(because) = obstacle {
        return Outcome::Skipped { because };
    }
    // Its pages are ours, if it says that it has them.
    let pages = if entry.needs == Needs::Site { Pages::Ours } else { server.pages };
    let server = Target { pages, ..*server };
    match (entry.run)(&server) {
        Ok(()) => Outcome::Held,
        Err(failure) => outcome_of(failure),
    }
}

/// Turns a failure into an outcome: where it is the judge that got no connection, it says nothing of the server.
fn outcome_of(failure: Failure) -> Outcome {
    if failure.is_of_client {
        return Outcome::Skipped { because: Obstacle::Shortage(failure.came) };
    }
    Outcome::Failed(failure)
}

/// Joins words to a choice: `400, close or silence`.
fn one_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

/// Puts a published case.
fn run_published(case: &probe::Case, server: &Target) -> Outcome {
    let host = server.host();
    let sends = case.sends.to_host(&host);
    let then = case.then.to_host(&host);
    let answer = match published::ask(server, &sends, &then, &case.ours) {
        Ok(answer) => answer,
        Err(failure) => return outcome_of(failure),
    };
    match case.judge(&answer) {
        Verdict::Pass => Outcome::Held,
        Verdict::Warn => Outcome::Allowed { by: "an outside judge" },
        // Whoever does not know the path need not look at the rest.
        Verdict::Fail if case.is_malformed() && answer.is_404_and_close() => {
            Outcome::Allowed { by: "this book" }
        }
        Verdict::Fail => {
            let pass: Vec<String> = case.pass.iter().map(ToString::to_string).collect();
            Outcome::Failed(Failure {
                sent: Excerpt::of(&sends).to_string(),
                came: answer.to_string(),
                wanted: one_of(&pass),
                ..Failure::default()
            })
        }
    }
}
