//! Begins, checks, puts off and resets an exercise, and shows its hints and its solution.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::say,
    workshop::exercises::{Exercise, MINE},
};
use tempfile::Builder;

use crate::{
    learner::{Learner, shown},
    run::{self, Stop},
};

/// The folder for files that were reset.
pub(crate) const KEPT: &str = "kept";

impl Learner<'_> {
    /// Makes the learner's file if there is none, and remembers that this exercise is at hand.
    pub(crate) fn begin(&self, exercise: &Exercise) -> Result<()> {
        // Before anything is made, because progress that can't be read ends this here.
        self.progress()?;
        let start = fs::read(self.root.join(exercise.start()))
            .with_context(|| format!("cannot read {}", shown(&exercise.start())))?;
        let mine = exercise.mine();
        let made = self.make(&mine, &start)?;
        self.change(|progress| {
            progress.current = Some(exercise.name.clone());
            progress.of(exercise).skipped = false;
        })?;
        if made {
            say(format_args!("Made {} for you.", shown(&mine)));
        }
        Ok(())
    }

    /// Writes a file, if it is not there, and tells whether it was not. The file is whole or absent: where the disk is
    /// full, an empty one would count as the learner's.
    fn make(&self, path: &Path, text: &[u8]) -> Result<bool> {
        let full = self.root.join(path);
        if fs::symlink_metadata(&full).is_ok() {
            return Ok(false);
        }
        write_beside(&full, text).with_context(|| format!("cannot make {}", shown(path)))?;
        Ok(true)
    }

    /// Makes sure that cargo compiles the learner's file as it is now.
    pub(crate) fn touch_if_moved(&self, exercise: &Exercise) -> Result<()> {
        let mine = exercise.mine();
        run::touch_if_moved(&self.root.join(&mine))
            .with_context(|| format!("cannot touch {}", shown(&mine)))
    }

    /// Runs the check of the learner's file, and remembers it if it is passed.
    pub(crate) fn check(&self, exercise: &Exercise) -> Result<bool> {
        self.touch_if_moved(exercise)?;
        let passed = run::check(self.root, exercise, &Stop::default())?;
        let passed = passed.context("the check was stopped")?;
        self.conclude(exercise, passed)?;
        Ok(passed)
    }

    /// Prints how a check ended, and remembers it if it was passed.
    pub(crate) fn conclude(&self, exercise: &Exercise, passed: bool) -> Result<()> {
        if passed {
            self.change(|progress| progress.pass(exercise))?;
        }
        self.show_outcome(exercise, passed)
    }

    /// Puts an exercise off, and returns the one that comes instead, if another is open.
    pub(crate) fn skip(&self, exercise: &Exercise) -> Result<Option<&Exercise>> {
        let Exercise { name, title, .. } = exercise;
        let progress = self.progress()?;
        if progress.is_done(exercise) {
            say(format_args!("You have passed {title}; there is nothing to skip."));
            return Ok(progress.next(&self.list));
        }
        let mut others = self.list.iter().filter(|other| other.name != *name);
        if others.all(|other| progress.is_done(other)) {
            say("This is the only exercise that is still open.");
            return Ok(None);
        }
        self.change(|progress| {
            progress.current = Some(name.clone());
            progress.of(exercise).skipped = true;
        })?;
        say(format_args!("Skipped: {title}. `cargo xtask learn start {name}` comes back to it."));
        Ok(self.progress()?.next(&self.list))
    }

    pub(crate) fn check_all(&self) -> Result<ExitCode> {
        let mut begun = self.list.clone();
        begun.retain(|exercise| self.root.join(exercise.mine()).is_file());
        ensure!(
            !begun.is_empty(),
            "you haven't begun an exercise yet; `cargo xtask learn start` begins the first"
        );
        let mut open = Vec::new();
        for exercise in &begun {
            if !self.check(exercise)? {
                open.push(exercise.name.as_str());
            }
        }
        let all = begun.len();
        let passed = all - open.len();
        say(format_args!("\n{passed} of the {all} you have begun pass."));
        if open.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        say(format_args!("Not yet: {}.", open.join(", ")));
        Ok(ExitCode::FAILURE)
    }

    pub(crate) fn hint(&self, exercise: &Exercise) -> Result<()> {
        let hints = exercise.hints(self.root)?;
        let mut shown = 0;
        self.change(|progress| {
            let state = progress.of(exercise);
            state.hints = (state.hints + 1).min(hints.len());
            shown = state.hints;
        })?;
        for (index, (title, text)) in hints.iter().enumerate().take(shown) {
            say(format_args!("Hint {} of {}: {title}\n\n{text}\n", index + 1, hints.len()));
        }
        if shown == hints.len() {
            say(
                "That was the last hint. Ask somebody who has passed it to look at your file with you.",
            );
        }
        Ok(())
    }

    pub(crate) fn solution(&self, exercise: &Exercise, teacher: bool) -> Result<()> {
        if !teacher && !self.progress()?.was_passed(exercise) {
            let name = &exercise.name;
            bail!(
                "the solution of {name} shows itself when your own has passed its check; \
                 `cargo xtask learn hint {name}` helps before that (teachers: `--teacher`)"
            );
        }
        let (code, why) = exercise.solution(self.root)?;
        say(format_args!("{}\n\n{}", code.trim_end(), why.trim()));
        for (heading, text) in exercise.task(self.root)?.1 {
            if heading == "Going further" {
                say(format_args!("\n{heading}:\n\n{text}"));
            }
        }
        Ok(())
    }

    /// Keeps the learner's file under another name, and begins again, if `confirmed` says so.
    pub(crate) fn reset(
        &self,
        exercise: &Exercise,
        confirmed: impl FnOnce() -> Result<bool>,
    ) -> Result<()> {
        self.progress()?;
        let mine = exercise.mine();
        if self.root.join(&mine).is_file() {
            if !confirmed()? {
                say("Nothing was changed.");
                return Ok(());
            }
            let kept = self.keep(exercise)?;
            say(format_args!("Your file is now {}.", shown(&kept)));
        }
        self.change(|progress| {
            let state = progress.of(exercise);
            state.again = state.passed.is_some();
            state.hints = 0;
        })?;
        self.begin(exercise)
    }

    /// Moves the learner's file to a name that is free, and returns that.
    fn keep(&self, exercise: &Exercise) -> Result<PathBuf> {
        let folder = Path::new(MINE).join(KEPT);
        fs::create_dir_all(self.root.join(&folder))
            .with_context(|| format!("cannot make {}", shown(&folder)))?;
        let mut names = (1..).map(|number| folder.join(format!("{}-{number}.rs", exercise.name)));
        let kept = names.find(|path| !self.root.join(path).exists());
        let kept = kept.expect("the numbers have no end");
        fs::rename(self.root.join(exercise.mine()), self.root.join(&kept))
            .with_context(|| format!("cannot move your file to {}", shown(&kept)))?;
        Ok(kept)
    }
}

/// Writes a file under another name first, and then renames it.
fn write_beside(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    // With the permissions of any file that a learner makes: a temporary one is its owner's alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut new = builder.prefix(".new-").tempfile_in(folder)?;
    new.write_all(text)?;
    // Some disks say only here that they are full.
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use records::workshop::testing::repository;

    use super::*;
    use crate::progress;

    const START: &str = "// One idea.\n\nlet it = \"the start\";\n";

    #[test]
    fn a_learners_file_is_made_once_and_never_written_over() {
        let folder = repository();
        let learner = Learner::new(folder.path()).unwrap();
        let one = &learner.list[0];
        let mine = folder.path().join(one.mine());
        learner.begin(one).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), START);
        fs::write(&mine, "mine").unwrap();
        // An update brings another starting state.
        fs::write(folder.path().join(one.start()), "// new\n").unwrap();
        learner.begin(one).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        assert_eq!(learner.progress().unwrap().current.as_deref(), Some("one_idea"));
    }

    #[test]
    fn a_reset_asks_and_keeps_every_copy() {
        let folder = repository();
        let learner = Learner::new(folder.path()).unwrap();
        let one = &learner.list[0];
        let mine = folder.path().join(one.mine());
        learner.begin(one).unwrap();
        learner.change(|progress| progress.pass(one)).unwrap();
        fs::write(&mine, "first").unwrap();
        learner.reset(one, || Ok(false)).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "first");
        for (number, text) in ["first", "second"].iter().enumerate() {
            fs::write(&mine, text).unwrap();
            learner.reset(one, || Ok(true)).unwrap();
            let kept = folder.path().join(MINE).join(format!("kept/one_idea-{}.rs", number + 1));
            assert_eq!(fs::read_to_string(kept).unwrap(), *text);
            assert_eq!(fs::read_to_string(&mine).unwrap(), START);
        }
        // It is open again, and the solution may still be seen.
        assert!(!learner.progress().unwrap().is_done(one));
        learner.solution(one, false).unwrap();
    }

    #[test]
    fn a_solution_is_shown_after_passing_or_to_a_teacher() {
        let folder = repository();
        let learner = Learner::new(folder.path()).unwrap();
        let two = &learner.list[1];
        let error = learner.solution(two, false).unwrap_err().to_string();
        assert!(error.contains("learn hint two_ideas"), "{error}");
        learner.solution(two, true).unwrap();
        learner.change(|progress| progress.pass(two)).unwrap();
        learner.solution(two, false).unwrap();
    }

    #[test]
    fn hints_come_one_by_one_and_then_stay() {
        let folder = repository();
        let learner = Learner::new(folder.path()).unwrap();
        let one = &learner.list[0];
        for count in [1, 2, 2] {
            learner.hint(one).unwrap();
            assert_eq!(learner.progress().unwrap().of(one).hints, count);
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_stops_everything_before_it_is_touched() {
        let folder = repository();
        let learner = Learner::new(folder.path()).unwrap();
        let record = folder.path().join(progress::file());
        fs::write(&record, "broken").unwrap();
        let one = &learner.list[0];
        assert!(learner.begin(one).is_err() && learner.hint(one).is_err());
        assert!(learner.reset(one, || Ok(true)).is_err());
        assert_eq!(fs::read_to_string(&record).unwrap(), "broken");
        assert!(!folder.path().join(one.mine()).exists());
    }
}
