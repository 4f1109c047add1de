//! All results in one folder: the records of the experiments in `experiments`, and the recordings in `observed`,
//! `openings` and `programs`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    base::say,
    description::Experiment,
    files::{from_json, keep},
    machine::Machine,
    measured::Records,
    opening::OPENINGS,
    program::PROGRAMS,
    recording::{OBSERVED, Recording},
    servers::NAMES,
    store::{self, EXPERIMENTS},
};

/// The results in one folder.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The experiments that were measured.
    pub experiments: Records,
    recordings: BTreeMap<String, Arc<Recording>>,
    openings: BTreeMap<String, Arc<Recording>>,
    programs: BTreeMap<String, Arc<Recording>>,
}

/// The recording in a file, if it is there.
fn recording_in(path: &Path) -> Result<Option<Arc<Recording>>> {
    let checked = |text: &str| -> Result<Recording> {
        let recording: Recording = from_json(path, text)?;
        recording.check().with_context(|| format!("{} is broken", path.display()))?;
        Ok(recording)
    };
    keep(path, |_| true, checked)
}

impl Results {
    /// Reads a folder of results, in the words of these descriptions. One that is absent or empty holds none. Fails
    /// when a file can't be read, or is not what this tool wrote.
    pub fn read(folder: &Path, described: &BTreeMap<String, Experiment>) -> Result<Results> {
        let experiments = Records::read(folder, described)?;
        let mut results = Results { experiments, ..Results::default() };
        for rung in NAMES.iter() {
            let path = folder.join(OBSERVED).join(format!("{rung}.json"));
            if let Some(recording) = recording_in(&path)? {
                results.recordings.insert((*rung).to_owned(), recording);
            }
        }
        for (name, path) in store::files(&folder.join(OPENINGS))? {
            if let Some(recording) = recording_in(&path)? {
                results.openings.insert(name, recording);
            }
        }
        for (name, path) in store::files(&folder.join(PROGRAMS))? {
            if let Some(recording) = recording_in(&path)? {
                results.programs.insert(name, recording);
            }
        }
        Ok(results)
    }

    /// Whether there is neither a record nor a recording.
    pub fn is_empty(&self) -> bool {
        self.experiments.is_empty() && self.recordings.is_empty()
    }

    /// The recording of a rung. Fails when there is no such rung or recording; the message says what to do.
    pub fn recording(&self, rung: &str) -> Result<&Recording> {
        let known = || NAMES.join(", ");
        ensure!(NAMES.contains(&rung), "there is no rung `{rung}`; there are {}", known());
        let file = format!("{OBSERVED}/{rung}.json");
        self.recordings.get(rung).map(Arc::as_ref).with_context(|| {
            format!("there is no recording {file}; `cargo xtask observe {rung}` makes it, on Linux")
        })
    }

    /// The recording of a program without clients. Fails when there is none; the message says what to do.
    pub fn program(&self, name: &str) -> Result<&Recording> {
        self.programs.get(name).map(Arc::as_ref).with_context(|| {
            format!(
                "there is no recording {PROGRAMS}/{name}.json; `cargo xtask observe {name}` makes it, on Linux, if \
                 measurements/{PROGRAMS}/{name}.toml describes it"
            )
        })
    }

    /// The recording with which a chapter opens. Fails when there is none; the message says what to do.
    pub fn opening(&self, name: &str) -> Result<&Recording> {
        self.openings.get(name).map(Arc::as_ref).with_context(|| {
            format!(
                "there is no recording {OPENINGS}/{name}.json; `cargo xtask observe {name}` makes it, on Linux, if \
                 measurements/{OPENINGS}/{name}.toml describes it"
            )
        })
    }
}

/// Whether the pages can be made from the results in a folder: it has all experiments that the book's own has. Fails
/// when the folder is not there, or a record is missing; the message says how many, and what to do.
pub fn check_complete(root: &Path, folder: &Path) -> Result<()> {
    ensure!(folder.is_dir(), "there is no folder {} with results", folder.display());
    let wanted = store::files(&books(root).join(EXPERIMENTS))?;
    let there = store::files(&folder.join(EXPERIMENTS))?;
    let missing: Vec<&String> = wanted.keys().filter(|name| !there.contains_key(*name)).collect();
    let Some(name) = missing.first() else { return Ok(()) };
    bail!(
        "{} of {} results are missing in {}, {EXPERIMENTS}/{name} for one, and the book shows all of them; \
         `cargo xtask bench`, with the same `--out` and `--quick` as before, measures what is missing",
        missing.len(),
        wanted.len(),
        folder.display()
    )
}

/// The folder with the results that the book's pages show, below the repository's root.
pub fn books(root: &Path) -> PathBuf {
    root.join("measurements").join("results")
}

/// Where the results go.
///
/// `measurements/results` holds the figures that the book's pages show. Whoever measures on another machine gets a
/// folder of their own, so that no table mixes two machines. `out` goes before, and a sketch (`quick`) into neither.
/// Fails when the results that are there can't be read.
pub fn choose_folder(
    root: &Path,
    out: Option<&Path>,
    quick: bool,
    machine: &Machine,
) -> Result<PathBuf> {
    if let Some(out) = out {
        return Ok(out.to_path_buf());
    }
    if quick {
        say(format_args!("A sketch replaces no whole results. It goes to target/sketch."));
        return Ok(root.join("target").join("sketch"));
    }
    let books = books(root);
    let records = store::read_all(&books.join(EXPERIMENTS))?;
    if records.values().all(|record| record.machine == *machine) {
        return Ok(books);
    }
    say(format_args!(
        "The results in measurements/results are from another machine. Yours go to target/results, \
         and `cargo xtask serve` shows them beside the book's."
    ));
    Ok(root.join("target").join("results"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{pool, write};

    #[test]
    fn a_folder_is_complete_with_all_that_the_book_has() {
        let root = tempfile::tempdir().unwrap();
        let other = root.path().join("other");
        let message = || check_complete(root.path(), &other).unwrap_err().to_string();
        assert!(message().contains("there is no folder"), "{}", message());
        write(&books(root.path()), "pool-law", &pool());
        write(&books(root.path()), "a-a", &pool());
        write(&other, "a-a", &pool());
        assert!(message().contains("1 of 2 results are missing"), "{}", message());
        write(&other, "pool-law", &pool());
        check_complete(root.path(), &other).unwrap();
        std::fs::write(other.join(store::LOST), "abc\n").unwrap();
        let described = [("pool-law".to_owned(), pool().experiment)].into();
        let results = Results::read(&other, &described).unwrap();
        assert_eq!(results.experiments.all().count(), 1, "nothing describes a-a");
        let record = results.experiments.record("pool-law").unwrap().record;
        assert!(record.commit.is_lost, "{:?} is in the list", record.commit.head);
    }

    #[test]
    fn a_missing_recording_is_named_with_the_remedy() {
        let none = Results::default();
        assert!(none.is_empty());
        let message = |rung| none.recording(rung).unwrap_err().to_string();
        assert!(message("ch06_tokio").contains("`cargo xtask observe ch06_tokio`"));
        assert!(message("ch06").contains("there is no rung `ch06`"));
        let error = none.opening("one-thread").unwrap_err().to_string();
        assert!(error.contains("`cargo xtask observe one-thread`"), "{error}");
    }
}
