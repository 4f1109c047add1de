//! How the cases are put to a server, and what came of each.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, bail, ensure};
use ladder_tests::{
    Client, Excerpt, Failure,
    cases::{
        self, Abilities, Pages, Target,
        asked::{ASKED, Asked, Level, Needs},
        published, says_close,
    },
    probe::{self, Verdict},
};
use serde::Serialize;

/// How long a case may take: whatever it waits for then fails.
const CASE_TIME: Duration = Duration::from_secs(30);

/// The server, for the time of a case.
fn for_a_case(server: &Target) -> Target {
    Target { until: Some(Instant::now() + CASE_TIME), ..*server }
}

/// Looks at a server before any case, and says what it is. Fails where nothing could be asked of it.
pub fn look(mut client: Client) -> Result<Target> {
    let server = for_a_case(&client.server);
    client.server = server;
    let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // It may be closed already.
    let _ = client.try_send(get);
    let patience = server.patience();
    let seconds = patience.as_secs();
    let hears = client.hears_within(patience);
    ensure!(hears, "it hangs: the server takes a connection and says nothing for {seconds} s");
    match client.begun() {
        [] => bail!("it closes at once: the server takes a connection and ends it without a word"),
        // A record of TLS: its kind, and its version (RFC 8446, section 5.1).
        [20..=23, 3, ..] => bail!("it speaks TLS: the judge asks in plain HTTP"),
        _ => {}
    }
    let first = client.response();
    let first = first.map_err(|why| anyhow!("it does not answer a plain request: {}", why.came))?;
    let status = first.status;
    ensure!(status == 200, "its page `/` answers {status}: the judge needs a page there");

    let keep_alive = first.head.starts_with(b"HTTP/1.1 ") && !says_close(&first) && {
        let _ = client.try_send(get);
        matches!(client.response_if_any(true), Ok(Ok(_)))
    };
    drop(client);
    // A page with the time on it is another one in the next second.
    thread::sleep(Duration::from_millis(1100));
    let second = cases::ask(&server, "/");
    let second = second
        .map_err(|why| anyhow!("it answers its first client and not the second: {}", why.came))?;
    let is_same = first.body == second.body;
    let body: Option<&'static [u8]> = if is_same { Some(first.body.leak()) } else { None };
    let can = Abilities { keep_alive, ..server.can };
    Ok(Target { can, pages: Pages::Theirs(body), ..server })
}

/// The first client of a server that was started again: one that left without a word might do it harm.
pub fn greet(mut client: Client) {
    client.server = for_a_case(&client.server);
    let _ = client.get("/").and_then(|()| client.response());
}

/// Whether it serves a client, or why not.
pub fn still_serves(server: &Target) -> Result<(), Failure> {
    // Any page will do: it may have changed since.
    let server = Target { pages: Pages::Theirs(None), ..for_a_case(server) };
    cases::still_answers(&server)
}

/// What came of a case.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome")]
pub enum Outcome {
    /// It is about something that the server does not have, or the judge had to stop before.
    #[serde(rename = "not asked")]
    NotAsked,
    /// As it should be.
    #[serde(rename = "held")]
    Held,
    /// Allowed, although the outside judge would have it stricter.
    #[serde(rename = "allowed")]
    Allowed,
    /// Not as it should be.
    #[serde(rename = "failed")]
    Failed(Failure),
}

/// A case.
#[derive(Debug)]
pub enum Case {
    /// One of our tests.
    Ours(&'static Asked),
    /// One of the outside judge, with its name.
    Outside(&'static str, &'static probe::Case),
}

/// All cases, in the order in which they are put. Those of clients, which may end a server, come last.
pub fn cases() -> Vec<Case> {
    let (clients, gentle): (Vec<&'static Asked>, Vec<&'static Asked>) =
        ASKED.iter().partition(|asked| asked.level == Level::Clients);
    let mut cases: Vec<Case> = gentle.into_iter().map(Case::Ours).collect();
    cases.extend(probe::CASES.iter().map(|(name, case)| Case::Outside(name, case)));
    cases.extend(clients.into_iter().map(Case::Ours));
    cases
}

impl Case {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Case::Ours(asked) => asked.name,
            Case::Outside(name, _) => name,
        }
    }

    /// Puts it to a server, if it can be put to this one.
    pub fn put(&self, server: &Target, has_site: bool) -> Outcome {
        let server = for_a_case(server);
        match self {
            Case::Ours(asked) => ours(asked, &server, has_site),
            Case::Outside(_, case) => outside(case, &server),
        }
    }
}

fn ours(asked: &Asked, server: &Target, has_site: bool) -> Outcome {
    let can_be_put = match asked.needs {
        Needs::Index => true,
        Needs::Keeping => server.can.keep_alive,
        Needs::Closing => !server.can.keep_alive,
        Needs::Site => has_site,
    };
    if !can_be_put {
        return Outcome::NotAsked;
    }
    // Its pages are ours, if it says that it has them.
    let pages = if asked.needs == Needs::Site { Pages::Ours } else { server.pages };
    let server = Target { pages, ..*server };
    match (asked.run)(&server) {
        Ok(()) => Outcome::Held,
        Err(failure) => Outcome::Failed(failure),
    }
}

fn outside(case: &probe::Case, server: &Target) -> Outcome {
    match published::ask(server, &case.sends.0, &case.then.0, &case.ours) {
        Ok(answer) => match case.judge(&answer) {
            Verdict::Pass => Outcome::Held,
            Verdict::Warn => Outcome::Allowed,
            // What is wanted instead is told of each case.
            Verdict::Fail => Outcome::Failed(Failure {
                sent: Excerpt::of(&case.sends.0).to_string(),
                came: answer.to_string(),
                wanted: String::new(),
            }),
        },
        Err(failure) => Outcome::Failed(failure),
    }
}
