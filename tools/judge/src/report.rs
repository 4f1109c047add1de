//! The report about a server: the outcome of each case, the scores by who asks and by the pages of the book, the verdict.

use std::{
    cmp::Reverse,
    fmt::{self, Display},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use ladder_tests::{Failure, cases::catalogue::Level};
use records::{base::say, judged::Score};
use serde::Serialize;

use crate::examination::{Case, Outcome};

/// The page and the section that explain the published cases.
const OUTSIDE: (&str, &str) = ("contract", "An outside judge");

/// Who asks for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum AskedBy {
    /// The RFCs.
    Standard,
    /// Clients that are rude, slow or many.
    Clients,
    /// This book.
    Contract,
    /// Http11Probe.
    Outside,
}

impl From<AskedBy> for &'static str {
    fn from(asked_by: AskedBy) -> &'static str {
        match asked_by {
            AskedBy::Standard => "any server that speaks HTTP/1.1",
            AskedBy::Clients => "clients as they are",
            AskedBy::Contract => "the contract of this book alone",
            AskedBy::Outside => "an outside judge",
        }
    }
}

/// The outcome of a case, with what explains it.
#[derive(Debug, Serialize)]
pub struct CaseReport {
    name: String,
    /// Who asks for it.
    pub asked_by: AskedBy,
    /// The page of the book that explains it, and the section there.
    page: &'static str,
    section: &'static str,
    #[serde(flatten)]
    outcome: Outcome,
    expected: String,
}

impl CaseReport {
    /// Joins a case and its outcome.
    pub fn new(case: &Case, outcome: Outcome) -> CaseReport {
        let name = case.name().to_owned();
        match case {
            Case::Ours(entry) => {
                let asked_by = match entry.level {
                    Level::Standard => AskedBy::Standard,
                    Level::Clients => AskedBy::Clients,
                    Level::Contract => AskedBy::Contract,
                };
                CaseReport {
                    name,
                    asked_by,
                    page: entry.page,
                    section: entry.section,
                    outcome,
                    expected: entry.expected.to_owned(),
                }
            }
            Case::Outside(_, case) => {
                let (page, section) = OUTSIDE;
                let expected = case.rfc.clone().unwrap_or_default();
                CaseReport { name, asked_by: AskedBy::Outside, page, section, outcome, expected }
            }
        }
    }

    fn is_outside(&self) -> bool {
        self.asked_by == AskedBy::Outside
    }

    /// Prints it, with its reason if it failed. Of the outside judge's cases, those that hold are not printed.
    pub fn print(&self) {
        let name = &self.name;
        let failure = match &self.outcome {
            Outcome::Failed(failure) => failure,
            Outcome::Held if self.is_outside() => return,
            Outcome::Held => return say(format_args!("✓ {name}")),
            Outcome::Allowed { by } => return say(format_args!("~ {name}: allowed by {by}")),
            Outcome::Skipped { because } => {
                let because = String::from(because.clone());
                return say(format_args!("– {name}: skipped, because {because}"));
            }
        };
        say(format_args!("✗ {name}"));
        let Failure { sent, came, wanted, .. } = failure;
        // What explains the outside judge explains no case of it.
        let see = match self.asked_by {
            AskedBy::Outside => String::new(),
            _ => format!("book/{}.md, \"{}\"", self.page, self.section),
        };
        let expected = &self.expected;
        for (what, text) in [
            ("sent", sent),
            ("came", came),
            ("wanted", wanted),
            ("because", expected),
            ("see", &see),
        ] {
            if !text.is_empty() {
                say(format_args!("    {what:<9} {text}"));
            }
        }
    }
}

/// Counts the outcomes of these cases.
fn score_of<'a>(of: &str, cases: impl Iterator<Item = &'a CaseReport>) -> Score {
    let mut score = Score { of: of.to_owned(), ..Score::default() };
    for case in cases {
        match case.outcome {
            Outcome::Held => score.held += 1,
            Outcome::Allowed { .. } => score.allowed += 1,
            Outcome::Failed(_) => score.failed += 1,
            Outcome::Skipped { .. } => score.not_asked += 1,
        }
    }
    score
}

/// A cause for which cases of the outside judge failed.
#[derive(Debug, Serialize)]
struct Cause {
    came: String,
    wanted: String,
    cases: usize,
}

/// A restart of a server that did not serve any more.
#[derive(Debug, Serialize)]
pub struct Restart {
    /// The case that it did not outlive.
    pub after: String,
    /// What became of it.
    pub because: String,
    /// What it had written to standard error.
    pub stderr: Vec<String>,
}

/// The server that was judged, by all its names.
#[derive(Debug, Serialize)]
pub struct ServerName {
    /// Who wrote it, if a name was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learner: Option<String>,
    /// The command that started it.
    pub command: Option<String>,
    /// Where it was asked at first.
    pub address: String,
    /// What it calls itself, in the line `Server` of its responses.
    pub calls_itself: Option<String>,
}

impl Display for ServerName {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.learner.iter().try_for_each(|name| write!(formatter, "{name}: "))?;
        formatter.write_str(self.command.as_deref().unwrap_or(&self.address))?;
        let own = self.calls_itself.iter();
        own.clone().try_for_each(|name| write!(formatter, " ({name})"))
    }
}

/// The report about a server.
#[derive(Debug, Serialize)]
pub struct Report {
    server: ServerName,
    routes: Vec<String>,
    keeps_connections: bool,
    /// By the pages of the book, in their order.
    by_page: Vec<Score>,
    /// By who asks, the outside judge too.
    by_level: Vec<Score>,
    /// Why cases of the outside judge failed, the commonest cause first.
    outside_causes: Vec<Cause>,
    /// When the server had to be started again.
    pub started_again: Vec<Restart>,
    /// For how many seconds its port was waited for.
    pub waited_for_port_s: u64,
    /// Why the judge stopped before its last case.
    pub stopped: Option<String>,
    /// Tells whether all held that is asked of any server that speaks HTTP/1.1.
    http_holds: bool,
    /// Each case; none where only the scores are wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseReport>,
}

impl Report {
    /// Begins a report, without any case.
    pub fn new(server: ServerName, routes: &[String], keeps_connections: bool) -> Report {
        Report {
            server,
            routes: routes.to_vec(),
            keeps_connections,
            by_page: Vec::new(),
            by_level: Vec::new(),
            outside_causes: Vec::new(),
            started_again: Vec::new(),
            waited_for_port_s: 0,
            stopped: None,
            http_holds: false,
            cases: Vec::new(),
        }
    }

    /// Tells whether all held that is asked of any server that speaks HTTP/1.1, and all of it was asked.
    pub fn http_holds(&self) -> bool {
        self.http_holds
    }

    /// Counts what held, by the pages of the book below this root.
    pub fn count(&mut self, root: &Path) -> Result<()> {
        let summary = root.join("book/SUMMARY.md");
        let summary = fs::read_to_string(&summary)
            .with_context(|| format!("cannot read {}", summary.display()))?;
        // `- [1 · One thread](ch01-single-threaded.md)`
        let pages = summary.lines().filter_map(|line| {
            let (title, file) = line.trim_start().strip_prefix("- [")?.split_once("](")?;
            Some((title, file.strip_suffix(".md)")?))
        });
        for (title, page) in pages {
            let cases = self.cases.iter().filter(|case| !case.is_outside() && case.page == page);
            let score = score_of(title, cases);
            if score.asked() + score.not_asked > 0 {
                self.by_page.push(score);
            }
        }
        for asked_by in [AskedBy::Standard, AskedBy::Clients, AskedBy::Contract, AskedBy::Outside] {
            let cases = self.cases.iter().filter(|case| case.asked_by == asked_by);
            self.by_level.push(score_of(asked_by.into(), cases));
        }
        self.outside_causes = causes(&self.cases);
        self.http_holds = self.cases.iter().all(CaseReport::lets_http_hold);
        Ok(())
    }

    /// Lists the scores, by who asks and by the pages of the book.
    pub fn scores(&self) -> String {
        // No wider than 60 columns, and a phone shows the first 46.
        let columns = format!("{:>4} {:>6} {:>7} {:>7}", "held", "failed", "allowed", "skipped");
        let mut text = format!("{:<32} {columns}\n", "asked for by");
        for score in &self.by_level {
            text += &format!("{score}\n");
        }
        text += &format!("\n{:<32} {columns}\n", "explained in");
        for score in &self.by_page {
            text += &format!("{score}\n");
        }
        if !self.started_again.is_empty() {
            text += "\nstarted again after\n";
            for restart in &self.started_again {
                text += &format!("  {}\n", restart.after);
            }
        }
        if self.waited_for_port_s > 0 {
            let seconds = self.waited_for_port_s;
            text += &format!("\nwaited {seconds} s for its port, which was in TIME_WAIT\n");
        }
        if let Some(why) = &self.stopped {
            text += &format!("\nstopped: {why}\n");
        }
        text
    }

    /// Sums up the outside judge in one line, with the three commonest causes.
    pub fn outside(&self) -> String {
        let Some(score) = self.by_level.last() else { return String::new() };
        let mut line = format!("an outside judge: {} held or allowed", score.passed());
        let causes = self.outside_causes.iter().take(3);
        let causes: Vec<String> = causes
            .map(|Cause { came, wanted, cases }| format!("{cases} × {came} instead of {wanted}"))
            .collect();
        if !causes.is_empty() {
            line += &format!("; most often {}; --outside shows each", causes.join("; "));
        }
        line
    }

    /// Draws the verdict: which server, what held, and one sentence.
    pub fn verdict(&self) -> String {
        let line = "─".repeat(56);
        let mut text = format!("{line}\n  {}\n\n", self.server);
        for score in &self.by_level {
            text += &format!("  {:>10}  {}\n", score.passed(), score.of);
        }
        text + &format!("\n  {}\n{line}\n", self.sentence())
    }

    fn sentence(&self) -> String {
        let [standard, clients, ..] = self.by_level.as_slice() else { return String::new() };
        if standard.failed > 0 {
            let demands = if standard.failed == 1 { "demand" } else { "demands" };
            format!("It does not keep {} {demands} of HTTP/1.1.", standard.failed)
        } else if !self.http_holds {
            "It was not examined to the end.".to_owned()
        } else if clients.failed > 0 {
            let kinds = if clients.failed == 1 { "kind" } else { "kinds" };
            format!("It speaks HTTP/1.1; {} {kinds} of clients can harm it.", clients.failed)
        } else if self.stopped.is_some() {
            "It speaks HTTP/1.1; it was not examined to the end.".to_owned()
        } else {
            "It speaks HTTP/1.1, and bears its clients as they are.".to_owned()
        }
    }
}

impl CaseReport {
    /// Tells whether the verdict on HTTP can be good in spite of it: it is asked by somebody else, has held, or does not
    /// concern this server. A case that the judge could not put leaves that open.
    fn lets_http_hold(&self) -> bool {
        self.asked_by != AskedBy::Standard
            || match &self.outcome {
                Outcome::Held | Outcome::Allowed { .. } => true,
                Outcome::Failed(_) => false,
                Outcome::Skipped { because } => because.is_of_server(),
            }
    }
}

/// Counts why cases of the outside judge failed, the commonest cause first.
fn causes(cases: &[CaseReport]) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for case in cases.iter().filter(|case| case.is_outside()) {
        let Outcome::Failed(Failure { came, wanted, .. }) = &case.outcome else { continue };
        match causes.iter_mut().find(|cause| cause.came == *came && cause.wanted == *wanted) {
            Some(cause) => cause.cases += 1,
            None => {
                causes.push(Cause { came: came.clone(), wanted: wanted.clone(), cases: 1 });
            }
        }
    }
    causes.sort_by_key(|cause| Reverse(cause.cases));
    causes
}
