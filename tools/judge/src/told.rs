//! What is told of a server: each case, and how many held, by the pages of the book and by who asks for them.

use std::{
    fmt::{self, Display},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use ladder_tests::{Failure, cases::asked::Level};
use records::base::say;
use serde::Serialize;

use crate::put::{Case, Outcome};

/// Where the published cases are explained: the page, and its section.
const OUTSIDE: (&str, &str) = ("contract", "An outside judge");

/// Who asks for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
enum AskedBy {
    Standard,
    Clients,
    Contract,
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

/// What is told of a case.
#[derive(Debug, Serialize)]
pub struct Told {
    name: String,
    asked_by: AskedBy,
    /// The page of the book that explains it, and the section there.
    page: &'static str,
    section: &'static str,
    #[serde(flatten)]
    outcome: Outcome,
    expected: String,
}

impl Told {
    /// What came of this case.
    pub fn new(case: &Case, outcome: Outcome) -> Told {
        let name = case.name().to_owned();
        match case {
            Case::Ours(asked) => {
                let asked_by = match asked.level {
                    Level::Standard => AskedBy::Standard,
                    Level::Clients => AskedBy::Clients,
                    Level::Contract => AskedBy::Contract,
                };
                Told {
                    name,
                    asked_by,
                    page: asked.page,
                    section: asked.section,
                    outcome,
                    expected: asked.expected.to_owned(),
                }
            }
            Case::Outside(_, case) => {
                let (page, section) = OUTSIDE;
                let pass: Vec<String> = case.pass.iter().map(ToString::to_string).collect();
                let because = case.rfc.as_ref().map(|rfc| format!(" ({rfc})")).unwrap_or_default();
                let expected = format!("{}{because}", pass.join(", or "));
                Told { name, asked_by: AskedBy::Outside, page, section, outcome, expected }
            }
        }
    }

    fn is_outside(&self) -> bool {
        self.asked_by == AskedBy::Outside
    }

    /// Prints it, with its reason if it failed.
    pub fn say(&self) {
        let Outcome::Failed(Failure { sent, came, wanted }) = &self.outcome else {
            // So many that held would hide what did not.
            if matches!(self.outcome, Outcome::Held) && !self.is_outside() {
                say(format_args!("✓ {}", self.name));
            }
            return;
        };
        say(format_args!("✗ {}", self.name));
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
            ("expected", expected),
            ("see", &see),
        ] {
            if !text.is_empty() {
                say(format_args!("    {what:<9} {text}"));
            }
        }
    }
}

/// How many cases came out how.
#[derive(Clone, Debug, Default, Serialize)]
struct Score {
    of: String,
    held: usize,
    failed: usize,
    allowed: usize,
    not_asked: usize,
}

impl Score {
    /// The score of these cases.
    fn of<'a>(of: &str, cases: impl Iterator<Item = &'a Told>) -> Score {
        let mut score = Score { of: of.to_owned(), ..Score::default() };
        for told in cases {
            match told.outcome {
                Outcome::Held => score.held += 1,
                Outcome::Allowed => score.allowed += 1,
                Outcome::Failed(_) => score.failed += 1,
                Outcome::NotAsked => score.not_asked += 1,
            }
        }
        score
    }
}

impl Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Score { of, held, failed, allowed, not_asked } = self;
        write!(formatter, "{of:<32} {held:>4} {failed:>7} {allowed:>8} {not_asked:>10}")
    }
}

/// A server that did not serve any more, and was started again.
#[derive(Debug, Serialize)]
pub struct Again {
    /// The case that it did not outlive.
    pub after: String,
    /// What became of it.
    pub because: String,
}

/// What is told of a server.
#[derive(Debug, Serialize)]
pub struct Report {
    routes: Vec<String>,
    keeps_connections: bool,
    /// By the pages of the book in their order, and the outside judge.
    by_page: Vec<Score>,
    /// By who asks.
    by_level: Vec<Score>,
    /// When the server had to be started again.
    pub started_again: Vec<Again>,
    /// Why the judge stopped before its last case.
    pub stopped: Option<String>,
    /// Each case.
    pub cases: Vec<Told>,
}

impl Report {
    /// Nothing is told yet.
    pub fn new(routes: &[String], keeps_connections: bool) -> Report {
        Report {
            routes: routes.to_vec(),
            keeps_connections,
            by_page: Vec::new(),
            by_level: Vec::new(),
            started_again: Vec::new(),
            stopped: None,
            cases: Vec::new(),
        }
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
            let is_of = |told: &&Told| !told.is_outside() && told.page == page;
            let score = Score::of(title, self.cases.iter().filter(is_of));
            if score.held + score.allowed + score.failed + score.not_asked > 0 {
                self.by_page.push(score);
            }
        }
        let outside = self.cases.iter().filter(|told| told.is_outside());
        self.by_page.push(Score::of(OUTSIDE.1, outside));
        for asked_by in [AskedBy::Standard, AskedBy::Clients, AskedBy::Contract] {
            let cases = self.cases.iter().filter(|told| told.asked_by == asked_by);
            self.by_level.push(Score::of(asked_by.into(), cases));
        }
        Ok(())
    }
}

impl Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        // A phone shows the first 46 columns.
        let columns = format!("{:>4} {:>7} {:>8} {:>10}", "held", "failed", "allowed", "not asked");
        writeln!(formatter, "{:<32} {columns}", "explained in")?;
        self.by_page.iter().try_for_each(|score| writeln!(formatter, "{score}"))?;
        writeln!(formatter, "\n{:<32} {columns}", "asked for by")?;
        self.by_level.iter().try_for_each(|score| writeln!(formatter, "{score}"))?;
        if !self.started_again.is_empty() {
            writeln!(formatter, "\nstarted again after")?;
            let mut again = self.started_again.iter();
            again.try_for_each(|again| writeln!(formatter, "  {}", again.after))?;
        }
        if let Some(why) = &self.stopped {
            writeln!(formatter, "\nstopped: {why}")?;
        }
        Ok(())
    }
}
