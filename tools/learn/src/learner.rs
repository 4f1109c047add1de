//! A learner in a repository: their exercises in their order, and how far they are.

use std::path::Path;

use anyhow::{Context, Result};
use records::workshop::{
    exercises::{Exercise, exercises, named},
    lessons::{Order, order},
};

use crate::progress::Progress;

/// Writes a path the same way on every system.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// A learner in a repository.
#[derive(Debug)]
pub(crate) struct Learner<'a> {
    pub root: &'a Path,
    /// All exercises, in the order in which the learner does them: those of the lesson come first.
    pub list: Vec<Exercise>,
    pub lesson: Option<Order>,
}

impl<'a> Learner<'a> {
    pub(crate) fn new(root: &'a Path) -> Result<Learner<'a>> {
        let lesson = match Progress::read(root)?.lesson {
            None => None,
            // An update may have renamed it; that must not keep anybody from an exercise.
            Some(name) => order(root, &name).map_err(|error| eprintln!("{error:#}")).ok(),
        };
        Learner::following(root, lesson)
    }

    pub(crate) fn following(root: &'a Path, lesson: Option<Order>) -> Result<Learner<'a>> {
        let mut list = exercises(root)?;
        if let Some(lesson) = &lesson {
            // The sort is stable: what the lesson leaves out keeps its order, behind it.
            list.sort_by_key(|exercise| lesson.place(&exercise.name).unwrap_or(usize::MAX));
        }
        Ok(Learner { root, list, lesson })
    }

    /// Returns the exercises of the lesson, which are the first of the list; all, if none is followed.
    pub(crate) fn own(&self) -> &[Exercise] {
        let all = self.list.len();
        &self.list[..self.lesson.as_ref().map_or(all, |lesson| lesson.exercises.len())]
    }

    pub(crate) fn progress(&self) -> Result<Progress> {
        Progress::read(self.root)
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Progress)) -> Result<()> {
        let mut progress = self.progress()?;
        let before = progress.clone();
        change(&mut progress);
        if progress == before { Ok(()) } else { progress.write(self.root) }
    }

    /// Finds the exercise of this name, or the one to work on.
    pub(crate) fn chosen(&self, name: Option<&str>) -> Result<&Exercise> {
        if let Some(name) = name {
            return named(&self.list, name);
        }
        let next = self.progress()?.next(&self.list);
        next.context("you have passed every exercise; name the one you mean")
    }

    /// Finds the exercise on which the learner worked last, passed or not.
    pub(crate) fn current(&self) -> Result<&Exercise> {
        match self.progress()?.current {
            Some(name) => named(&self.list, &name),
            None => self.chosen(None),
        }
    }
}
