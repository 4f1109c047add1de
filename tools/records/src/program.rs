//! Programs without clients whose tasks and threads are recorded: the files in `measurements/programs`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::files::{self, cannot_read};

/// The folder of the descriptions below `measurements`, and that of the recordings in a folder of results.
pub const PROGRAMS: &str = "programs";

/// A program, and the number of its threads.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The title of its picture; `{result}` is the time that all its jobs took.
    pub title: String,
    /// The example.
    pub example: String,
    /// The number of workers of Tokio's runtime.
    pub workers: u64,
}

fn folder(root: &Path) -> PathBuf {
    root.join("measurements").join(PROGRAMS)
}

/// Lists the names of all descriptions, in order. Fails when the folder is there and can't be read.
pub fn names(root: &Path) -> Result<Vec<String>> {
    Ok(files::with_ending(&folder(root), "toml")?.into_keys().collect())
}

/// Reads the description of this name, if there is one. Fails when its file can't be read, or describes no program; the
/// message names it.
pub fn load(root: &Path, name: &str) -> Result<Option<Program>> {
    let files = files::with_ending(&folder(root), "toml")?;
    let Some(path) = files.get(name) else { return Ok(None) };
    let text = fs::read_to_string(path).with_context(|| cannot_read(path))?;
    let program = toml::from_str(&text)
        .with_context(|| format!("{} describes no program", path.display()))?;
    Ok(Some(program))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        base::find_root,
        recording::{Recording, Task},
        results::shown_folder,
    };

    fn recording(name: &str) -> Recording {
        let path = shown_folder(&find_root().unwrap()).join(PROGRAMS).join(format!("{name}.json"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let recording: Recording = serde_json::from_str(&text).unwrap();
        recording.check().unwrap_or_else(|error| panic!("{name}: {error:#}"));
        recording
    }

    fn job<'a>(recording: &'a Recording, name: &str) -> &'a Task {
        recording.tasks.iter().find(|task| task.name == name).unwrap()
    }

    /// The start of a job's first poll, and the end of its last.
    fn start_and_end(job: &Task) -> (u64, u64) {
        (job.polls[0].0, job.polls[job.polls.len() - 1].1)
    }

    fn longest_poll(job: &Task) -> u64 {
        job.polls.iter().map(|poll| poll.1 - poll.0).max().unwrap()
    }

    #[test]
    fn each_program_that_is_described_is_recorded_with_its_jobs() {
        let root = find_root().unwrap();
        let names = names(&root).unwrap();
        assert_eq!(names.len(), 6);
        for name in names {
            let program = load(&root, &name).unwrap().unwrap();
            let recording = recording(&name);
            assert_eq!(recording.rung, program.example);
            let jobs: BTreeSet<&str> =
                recording.tasks.iter().map(|job| job.name.as_str()).collect();
            let expected = match name.as_str() {
                "which-task" => &["dearest", "newsletter", "presents", "receipt", "total"][..],
                _ => &["A", "B", "C", "D"],
            };
            assert_eq!(jobs.into_iter().collect::<Vec<_>>(), expected, "{name}");
        }
        assert_eq!(load(&root, "nothing").unwrap(), None);
    }

    /// As the page says.
    #[test]
    fn the_recorded_jobs_compute_in_turn_or_at_the_same_time() {
        for (name, is_at_the_same_time) in [
            ("jobs-in-turn", false),
            ("jobs-joined", false),
            ("jobs-on-one-worker", false),
            ("jobs-on-two-workers", true),
            ("jobs-moved", true),
        ] {
            let recording = recording(name);
            let c = start_and_end(job(&recording, "C"));
            let d = start_and_end(job(&recording, "D"));
            assert_eq!(c.0 < d.1 && d.0 < c.1, is_at_the_same_time, "{name}");
        }
    }

    /// As a reader finds in that recording.
    #[test]
    fn one_page_holds_its_worker_longer_than_all_others() {
        let mut jobs = recording("which-task").tasks;
        jobs.sort_by_key(longest_poll);
        let [.., second, first] = &jobs[..] else { panic!("two jobs at least") };
        assert_eq!(first.name, "newsletter");
        assert!(longest_poll(first) > 5 * longest_poll(second), "{first:?} {second:?}");
    }
}
