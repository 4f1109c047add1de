//! The recordings in a folder of results, in `observed`, `openings` and `programs`; and which folder that is.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    base::say,
    files,
    machine::Machine,
    opening::OPENINGS,
    program::PROGRAMS,
    recording::{OBSERVED, Recording},
    servers::NAMES,
    store::{self, EXPERIMENTS},
};

/// The recordings in one folder of results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    recordings: BTreeMap<String, Recording>,
    openings: BTreeMap<String, Recording>,
    programs: BTreeMap<String, Recording>,
}

/// Reads the recording in a file, if it is there.
fn recording_in(path: &Path) -> Result<Option<Recording>> {
    let Some(text) = files::read_text(path)? else { return Ok(None) };
    let recording: Recording = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a result of this tool", path.display()))?;
    recording.check().with_context(|| format!("{} is broken", path.display()))?;
    Ok(Some(recording))
}

impl Results {
    /// Reads the recordings in a folder of results. One that is absent or empty holds none. Fails when a file can't be
    /// read, or is not what this tool wrote.
    pub fn read(folder: &Path) -> Result<Results> {
        let mut results = Results::default();
        for rung in NAMES.iter() {
            let path = folder.join(OBSERVED).join(format!("{rung}.json"));
            if let Some(recording) = recording_in(&path)? {
                results.recordings.insert((*rung).to_owned(), recording);
            }
        }
        for (name, path) in files::with_ending(&folder.join(OPENINGS), "json")? {
            if let Some(recording) = recording_in(&path)? {
                results.openings.insert(name, recording);
            }
        }
        for (name, path) in files::with_ending(&folder.join(PROGRAMS), "json")? {
            if let Some(recording) = recording_in(&path)? {
                results.programs.insert(name, recording);
            }
        }
        Ok(results)
    }

    /// Tells whether no server was recorded.
    pub fn is_empty(&self) -> bool {
        self.recordings.is_empty()
    }

    /// Returns the recording of a rung. Fails when there is no such rung or recording; the message says what to do.
    pub fn recording(&self, rung: &str) -> Result<&Recording> {
        ensure!(NAMES.contains(&rung), "there is no rung `{rung}`; there are {}", NAMES.join(", "));
        let file = format!("{OBSERVED}/{rung}.json");
        self.recordings.get(rung).with_context(|| {
            format!("there is no recording {file}; `cargo xtask observe {rung}` makes it, on Linux")
        })
    }

    /// Returns the recording of a program without clients. Fails when there is none; the message says what to do.
    pub fn program(&self, name: &str) -> Result<&Recording> {
        self.programs.get(name).with_context(|| {
            format!(
                "there is no recording {PROGRAMS}/{name}.json; `cargo xtask observe {name}` makes it, on Linux, if \
                 measurements/{PROGRAMS}/{name}.toml describes it"
            )
        })
    }

    /// Returns the recording with which a chapter opens. Fails when there is none; the message says what to do.
    pub fn opening(&self, name: &str) -> Result<&Recording> {
        self.openings.get(name).with_context(|| {
            format!(
                "there is no recording {OPENINGS}/{name}.json; `cargo xtask observe {name}` makes it, on Linux, if \
                 measurements/{OPENINGS}/{name}.toml describes it"
            )
        })
    }
}

/// Returns the folder with the results that the book's pages show, below the repository's root.
pub fn shown_folder(root: &Path) -> PathBuf {
    root.join("measurements").join("results")
}

/// Chooses the folder of the results.
///
/// `measurements/results` holds the figures that the book's pages show. Whoever measures on another machine gets a
/// folder of their own, so that no table mixes two machines. `out`, where it is given, goes before both.
///
/// Fails when the results that are there can't be read.
pub fn choose_folder(root: &Path, out: Option<&Path>, machine: &Machine) -> Result<PathBuf> {
    if let Some(out) = out {
        return Ok(out.to_path_buf());
    }
    let shown = shown_folder(root);
    let sessions = store::sessions(&shown.join(EXPERIMENTS))?;
    if sessions.values().all(|session| session.machine == *machine) {
        return Ok(shown);
    }
    say(format_args!(
        "The results in measurements/results are from another machine. Yours go to target/results."
    ));
    Ok(root.join("target").join("results"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_recording_is_named_with_the_remedy() {
        let none = Results::default();
        assert!(none.is_empty());
        let error = none.recording("ch06_tokio").unwrap_err().to_string();
        assert!(error.contains("`cargo xtask observe ch06_tokio`"), "{error}");
        let error = none.recording("ch06").unwrap_err().to_string();
        assert!(error.contains("there is no rung `ch06`"), "{error}");
        let error = none.opening("one-thread").unwrap_err().to_string();
        assert!(error.contains("`cargo xtask observe one-thread`"), "{error}");
    }
}
