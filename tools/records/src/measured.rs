//! All records in one folder of results, and what follows from each.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use anyhow::{Context, Result};

use crate::{
    description::Experiment,
    files,
    store::{self, EXPERIMENTS, Record},
    summary::Summary,
};

/// One set of results: a record and what it says.
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    /// What was measured.
    pub record: &'a Record,
    /// What follows from it.
    pub summary: &'a Summary,
}

/// The records in one folder of results.
#[derive(Clone, Debug, Default)]
pub struct Records {
    folder: PathBuf,
    records: BTreeMap<String, Arc<Stored>>,
}

/// A record, and what follows from it once somebody has asked.
#[derive(Debug)]
struct Stored {
    description: Experiment,
    record: Record,
    summary: OnceLock<Summary>,
}

impl Records {
    /// Reads the folder `experiments` in a folder of results, in the words of these descriptions; what none of them
    /// describes is left out. A folder that is absent or empty holds none. Fails when a file can't be read, or is no
    /// record.
    pub fn read(results: &Path, described: &BTreeMap<String, Experiment>) -> Result<Records> {
        let folder = results.join(EXPERIMENTS);
        let lost = store::lost_commits(results);
        let mut records = BTreeMap::new();
        for (name, path) in store::files(&folder)? {
            let Some(description) = described.get(&name) else { continue };
            let read = |text: &str| {
                let record: Record = files::from_json(&path, text)?;
                let mut record = record.described(description);
                record.commit.is_lost =
                    record.commit.head.as_ref().is_some_and(|it| lost.contains(it));
                Ok(Stored { description: description.clone(), record, summary: OnceLock::new() })
            };
            let holds = |stored: &Stored| stored.description == *description;
            if let Some(stored) = files::keep(&path, holds, read)? {
                records.insert(name, stored);
            }
        }
        Ok(Records { folder, records })
    }

    /// Whether there is not a single record.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The folder in which they lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All records, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, Set<'_>)> {
        self.records.keys().filter_map(|name| Some((name.as_str(), self.get(name)?)))
    }

    /// One record, if it is there.
    pub fn get(&self, name: &str) -> Option<Set<'_>> {
        let stored = self.records.get(name)?;
        let summary = stored.summary.get_or_init(|| Summary::of(&stored.record));
        Some(Set { record: &stored.record, summary })
    }

    /// One record. Fails when it is not there; the message says what to do.
    pub fn record(&self, name: &str) -> Result<Set<'_>> {
        let known: Vec<&str> = self.records.keys().map(String::as_str).collect();
        let known = match known[..] {
            [] => "there are none yet".to_owned(),
            _ => format!("there are {}", known.join(", ")),
        };
        self.get(name).with_context(|| {
            format!(
                "there is no result experiments/{name}.json ({known}); `cargo xtask bench --only {name}` \
                 measures it, if measurements/experiments/{name}.toml describes it"
            )
        })
    }
}
