//! What a learner has passed, in a small file of theirs.

use std::{
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Write},
    path::Path,
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{MINE, list::Exercise};

/// The file, in the folder of the learner's own files.
pub(crate) const FILE: &str = "progress.json";

/// How far a learner is. What a newer version has written is kept as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The exercise that was begun or asked for last.
    #[serde(default)]
    pub current: Option<String>,
    /// What is known of each exercise, by its name.
    #[serde(default)]
    pub exercises: BTreeMap<String, State>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// How far a learner is with one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// When its check was passed first, as RFC 3339 writes a moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<String>,
    /// Whether it was reset after that, and not passed again.
    #[serde(default)]
    pub again: bool,
    /// How many hints were shown.
    #[serde(default)]
    pub hints: usize,
    /// The fingerprint of the starting state from which the learner's file was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

impl Progress {
    /// Reads it; nothing has been passed where there is no file.
    ///
    /// # Errors
    /// When the file is there and can't be read. It stays as it is then.
    pub(crate) fn read(root: &Path) -> Result<Progress> {
        let file = Path::new(MINE).join(FILE);
        let text = match fs::read_to_string(root.join(&file)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Progress::default()),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is no record of progress; it was left as it is. Correct it, or rename it to begin a new one: \
                 your exercises are files of their own, and `cargo xtask learn check --all` finds out again what passes",
                file.display()
            )
        })
    }

    /// Writes it: whole, or not at all.
    ///
    /// # Errors
    /// When that fails; the earlier file is still there then.
    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        let folder = root.join(MINE);
        let write = || -> Result<()> {
            fs::create_dir_all(&folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            file.persist(folder.join(FILE))?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", Path::new(MINE).join(FILE).display()))
    }

    /// What is known of this exercise.
    pub(crate) fn of(&mut self, exercise: &Exercise) -> &mut State {
        self.exercises.entry(exercise.name.clone()).or_default()
    }

    /// Whether this exercise is done.
    pub(crate) fn is_done(&self, exercise: &Exercise) -> bool {
        let state = self.exercises.get(&exercise.name);
        state.is_some_and(|state| state.passed.is_some() && !state.again)
    }

    /// Whether it was ever passed.
    pub(crate) fn was_passed(&self, exercise: &Exercise) -> bool {
        self.exercises.get(&exercise.name).is_some_and(|state| state.passed.is_some())
    }

    /// The exercise to work on: the one that was asked for last, if it is open, or else the next open one
    /// behind it, or else the first open one.
    pub(crate) fn next<'a>(&self, list: &'a [Exercise]) -> Option<&'a Exercise> {
        let current = self.current.as_deref();
        let at = list.iter().position(|exercise| current == Some(exercise.name.as_str()));
        let (before, rest) = list.split_at(at.unwrap_or(0));
        rest.iter().chain(before).find(|exercise| !self.is_done(exercise))
    }

    /// Notes that the check of this exercise was passed now.
    pub(crate) fn pass(&mut self, exercise: &Exercise) {
        let state = self.of(exercise);
        state.passed.get_or_insert_with(|| jiff::Timestamp::now().to_string());
        state.again = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::list::{exercises, tests::repository};

    #[test]
    fn progress_survives_and_points_to_what_is_next() {
        let folder = repository();
        let root = folder.path();
        let list = exercises(root).unwrap();
        let mut progress = Progress::read(root).unwrap();
        assert_eq!(progress.next(&list).unwrap().name, "one_idea");
        progress.current = Some("two_ideas".to_owned());
        assert_eq!(progress.next(&list).unwrap().name, "two_ideas");
        progress.pass(&list[1]);
        assert_eq!(progress.next(&list).unwrap().name, "one_idea");
        progress.pass(&list[0]);
        assert!(progress.next(&list).is_none());
        progress.write(root).unwrap();
        assert_eq!(Progress::read(root).unwrap(), progress);
        // Reset: open again, and still known to have been passed.
        progress.of(&list[0]).again = true;
        assert!(progress.was_passed(&list[0]) && !progress.is_done(&list[0]));
        assert_eq!(progress.next(&list).unwrap().name, "one_idea");
    }

    #[test]
    fn what_another_version_wrote_is_kept_and_what_is_malformed_is_left_alone() {
        let folder = repository();
        let file = folder.path().join(MINE).join(FILE);
        let newer = r#"{"colour": "blue", "exercises": {"from_later": {"passed": "2030-01-01T00:00:00Z", "stars": 3}}}"#;
        fs::write(&file, newer).unwrap();
        let progress = Progress::read(folder.path()).unwrap();
        progress.write(folder.path()).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        for kept in ["blue", "from_later", "2030", "stars"] {
            assert!(text.contains(kept), "{text}");
        }
        fs::write(&file, "{ not quite").unwrap();
        let error = format!("{:#}", Progress::read(folder.path()).unwrap_err());
        assert!(error.contains("progress.json") && error.contains("left as it is"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ not quite");
    }
}
