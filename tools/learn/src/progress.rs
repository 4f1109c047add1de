//! Keeps a learner's progress in a small file of theirs.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::{Context, Result};
use records::workshop::exercises::{Exercise, PROGRESS, PROGRESS_FOLDER};
use serde::{Deserialize, Serialize};
use tempfile::Builder;

/// Returns the path of the file, from the repository's root.
pub(crate) fn file() -> PathBuf {
    Path::new(PROGRESS_FOLDER).join(PROGRESS)
}

/// The progress of a learner. Fields that a newer version has written are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The exercise that was begun or asked for last.
    #[serde(default)]
    pub current: Option<String>,
    /// The lesson whose order is followed, by its name in `book/lessons.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The state of each exercise, by its name.
    #[serde(default)]
    pub exercises: BTreeMap<String, State>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// The progress of a learner with one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The day on which its check was passed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<String>,
    /// Whether it was reset after that, and not passed again.
    #[serde(default)]
    pub again: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    #[serde(default)]
    pub hints: usize,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

impl Progress {
    /// Reads it; nothing has been passed where there is no file. One that can't be read stays as it is.
    pub(crate) fn read(root: &Path) -> Result<Progress> {
        let file = file();
        if !root.join(&file).exists() {
            return Ok(Progress::default());
        }
        let text = fs::read_to_string(root.join(&file))
            .with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is no record of progress; it was left as it is. Correct it, or rename it to begin a new one: \
                 your exercises are files of their own, and `cargo xtask learn check --all` finds out again what passes",
                file.display()
            )
        })
    }

    /// Writes it whole; where that fails, the earlier file is still there.
    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        self.replace_file(root).with_context(|| format!("cannot write {}", file().display()))
    }

    fn replace_file(&self, root: &Path) -> Result<()> {
        let prefix = format!("{PROGRESS}.");
        let mut new = Builder::new().prefix(&prefix).tempfile_in(root.join(PROGRESS_FOLDER))?;
        serde_json::to_writer_pretty(&mut new, self)?;
        new.write_all(b"\n")?;
        new.persist(root.join(file()))?;
        Ok(())
    }

    /// Returns the state of an exercise, to change it.
    pub(crate) fn of(&mut self, exercise: &Exercise) -> &mut State {
        self.exercises.entry(exercise.name.clone()).or_default()
    }

    /// Tells whether it was passed, and not reset after that.
    pub(crate) fn is_done(&self, exercise: &Exercise) -> bool {
        let state = self.exercises.get(&exercise.name);
        state.is_some_and(|state| state.passed.is_some() && !state.again)
    }

    /// Tells whether it was ever passed.
    pub(crate) fn was_passed(&self, exercise: &Exercise) -> bool {
        self.exercises.get(&exercise.name).is_some_and(|state| state.passed.is_some())
    }

    /// Tells whether it is put off, and open.
    pub(crate) fn is_skipped(&self, exercise: &Exercise) -> bool {
        let state = self.exercises.get(&exercise.name);
        state.is_some_and(|state| state.skipped) && !self.is_done(exercise)
    }

    /// Chooses the exercise to work on: the one that was asked for last, if it is open and not skipped, or else the next
    /// such one behind it, or else the first; and when there is none left, those that were skipped, in the same way.
    pub(crate) fn next<'a>(&self, list: &'a [Exercise]) -> Option<&'a Exercise> {
        let current = self.current.as_deref();
        let at = list.iter().position(|exercise| current == Some(exercise.name.as_str()));
        let (before, rest) = list.split_at(at.unwrap_or(0));
        for exercise in rest.iter().chain(before) {
            if !self.is_done(exercise) && !self.is_skipped(exercise) {
                return Some(exercise);
            }
        }
        // Of those that were skipped, the one that was just skipped comes last.
        let behind = rest.iter().skip(usize::from(at.is_some()));
        let mut skipped = behind.chain(before).chain(rest.first());
        skipped.find(|exercise| !self.is_done(exercise))
    }

    /// Notes that the check of this exercise was passed now.
    pub(crate) fn pass(&mut self, exercise: &Exercise) {
        let state = self.of(exercise);
        state.passed.get_or_insert_with(|| httpdate::fmt_http_date(SystemTime::now()));
        state.again = false;
        state.skipped = false;
    }
}

#[cfg(test)]
mod tests {
    use records::workshop::{exercises::exercises, testing::repository};

    use super::*;

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
    fn what_is_skipped_comes_last_and_comes_back() {
        let folder = repository();
        let list = exercises(folder.path()).unwrap();
        let mut progress = Progress::default();
        progress.of(&list[0]).skipped = true;
        assert_eq!(progress.next(&list).unwrap().name, "two_ideas");
        progress.pass(&list[1]);
        assert_eq!(progress.next(&list).unwrap().name, "one_idea");
        // Both skipped: the one after the present one.
        let mut progress = Progress::default();
        progress.of(&list[0]).skipped = true;
        progress.of(&list[1]).skipped = true;
        for (current, next) in [("one_idea", "two_ideas"), ("two_ideas", "one_idea")] {
            progress.current = Some(current.to_owned());
            assert_eq!(progress.next(&list).unwrap().name, next);
        }
        progress.pass(&list[0]);
        assert!(!progress.is_skipped(&list[0]));
    }

    #[test]
    fn what_another_version_wrote_is_kept_and_what_is_malformed_is_left_alone() {
        let folder = repository();
        let file = folder.path().join(file());
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
