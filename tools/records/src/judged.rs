//! What `cargo xtask judge --json` says of a server: its scores, and its row in a table.

use std::{fmt, path::Path};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{base::plain, files::read_sent};

/// The number of cases with each outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Who asks for these cases, or the page that explains them.
    pub of: String,
    /// As it should be.
    pub held: usize,
    /// Not as it should be.
    pub failed: usize,
    /// Allowed, although the outside judge would have it otherwise.
    pub allowed: usize,
    /// Not put to this server.
    pub not_asked: usize,
}

impl Score {
    /// Returns how many cases were put.
    pub fn asked(&self) -> usize {
        self.held + self.allowed + self.failed
    }

    /// Says how many of those the server has passed: `9 of 10`.
    pub fn passed(&self) -> String {
        format!("{} of {}", self.held + self.allowed, self.asked())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Score { of, held, failed, allowed, not_asked } = self;
        write!(formatter, "{of:<32} {held:>4} {failed:>6} {allowed:>7} {not_asked:>7}")
    }
}

/// The columns of a table of servers, by who asks for their cases.
pub const COLUMNS: [&str; 4] = ["HTTP/1.1", "clients", "contract", "outside"];

/// A server that was judged, as a table shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Judged {
    /// The first reports did not name the server.
    #[serde(default)]
    server: ServerName,
    /// By who asks, in the order of [`COLUMNS`].
    by_level: Vec<Score>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct ServerName {
    #[serde(default)]
    learner: Option<String>,
}

impl Judged {
    /// Reads a report. Fails when the text is none that `--json` has written.
    pub fn parse(text: &str) -> serde_json::Result<Judged> {
        serde_json::from_str(text)
    }

    /// Returns the name of the learner who wrote the server, if one was given that isn't empty.
    pub fn learner(&self) -> Option<String> {
        self.server.learner.as_deref().map(plain).filter(|name| !name.is_empty())
    }

    /// Returns its cells in the table: of the cases that were put, how many it has passed.
    pub fn cells(&self) -> [String; COLUMNS.len()] {
        std::array::from_fn(|index| self.by_level.get(index).map(Score::passed).unwrap_or_default())
    }
}

/// Draws a table of reports: a row for each file, by the learner's name or else by its own. Fails when one can't be read.
pub fn table<P: AsRef<Path>>(files: &[P]) -> Result<String> {
    let mut text = row("", COLUMNS);
    for file in files {
        let file = file.as_ref();
        let judged = Judged::parse(&read_sent(file)?)
            .with_context(|| format!("{} is no report of --json", file.display()))?;
        let own = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = judged.learner().unwrap_or_else(|| own.into_owned());
        text += &row(&name, judged.cells().each_ref().map(String::as_str));
    }
    Ok(text)
}

fn row(name: &str, [http, clients, contract, outside]: [&str; COLUMNS.len()]) -> String {
    format!("{name:<24} {http:>8} {clients:>8} {contract:>8} {outside:>10}\n")
}
