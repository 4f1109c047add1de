//! The descriptions of the recordings that open chapters: which clients send which requests, and when. The files are in
//! `measurements/openings`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::files::{self, cannot_read};

/// The folder of the descriptions below `measurements`, and that of the recordings in a folder of results.
pub const OPENINGS: &str = "openings";

/// A server and the requests that it gets.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The title of its picture; `{result}` is the recorded result.
    pub title: String,
    /// Whether the page has its reader try the small server, while the picture shows the whole one.
    #[serde(default)]
    pub small: bool,
    /// The server.
    pub server: String,
    /// The size of its pool, where it has one.
    pub threads: Option<u64>,
    /// The time from the first request to Ctrl-C, in milliseconds; without it, the server is stopped after all answers.
    pub stop_ms: Option<u64>,
    /// The requests, in the order of time.
    pub asks: Vec<Ask>,
}

/// Clients that ask for the same at the same time, each once.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The time since the first request, in milliseconds.
    pub at_ms: u64,
    /// The page of the site, with its query.
    pub route: String,
    /// The number of clients that send it; one by default.
    #[serde(default = "one")]
    pub clients: u64,
}

fn one() -> u64 {
    1
}

impl Opening {
    /// Lists the request of each client, with its time in milliseconds after the first.
    pub fn clients(&self) -> impl Iterator<Item = (u64, &str)> {
        self.asks
            .iter()
            .flat_map(|ask| (0..ask.clients).map(move |_| (ask.at_ms, ask.route.as_str())))
    }
}

fn folder(root: &Path) -> PathBuf {
    root.join("measurements").join(OPENINGS)
}

/// Lists the names of all openings, in order. Fails when the folder is there and can't be read.
pub fn names(root: &Path) -> Result<Vec<String>> {
    Ok(files::with_ending(&folder(root), "toml")?.into_keys().collect())
}

/// Reads the opening of this name, if there is one. Fails when its file can't be read, or is no description of an
/// opening; the message names it.
pub fn load(root: &Path, name: &str) -> Result<Option<Opening>> {
    let files = files::with_ending(&folder(root), "toml")?;
    let Some(path) = files.get(name) else { return Ok(None) };
    let text = fs::read_to_string(path).with_context(|| cannot_read(path))?;
    let opening = toml::from_str(&text)
        .with_context(|| format!("{} describes no opening", path.display()))?;
    Ok(Some(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_who_asks_for_what_and_when() {
        let root = tempfile::tempdir().unwrap();
        assert!(names(root.path()).unwrap().is_empty());
        fs::create_dir_all(folder(root.path())).unwrap();
        let asks = "[[asks]]\nat_ms = 0\nroute = \"/sleep\"\n[[asks]]\nat_ms = 20\nroute = \"/\"\nclients = 2\n";
        for (name, asks) in [("a", asks), ("b", "asks = []\nroutes = 3\n")] {
            let path = folder(root.path()).join(format!("{name}.toml"));
            fs::write(path, format!("title = \"t\"\nserver = \"s\"\n{asks}")).unwrap();
        }
        assert_eq!(names(root.path()).unwrap(), ["a", "b"]);
        let opening = load(root.path(), "a").unwrap().unwrap();
        assert_eq!(opening.threads, None);
        let clients: Vec<_> = opening.clients().collect();
        assert_eq!(clients, [(0, "/sleep"), (20, "/"), (20, "/")]);
        assert_eq!(load(root.path(), "c").unwrap(), None);
        let error = format!("{:#}", load(root.path(), "b").unwrap_err());
        assert!(
            error.contains("b.toml describes no opening") && error.contains("routes"),
            "{error}"
        );
    }
}
