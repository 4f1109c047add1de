//! Prints a learner's place, the list, a task, an outcome.

use anyhow::Result;
use records::{base::say, workshop::exercises::Exercise};

use crate::{
    learner::{Learner, shown},
    progress::Progress,
};

impl Learner<'_> {
    pub(crate) fn status(&self) -> Result<()> {
        let progress = self.progress()?;
        self.show_bar(&progress);
        let Some(next) = progress.next(&self.list) else {
            say("\nAll passed. The chapters' sections \"Going further\" have more to do.");
            return Ok(());
        };
        let begun = self.root.join(next.mine()).is_file();
        let mine = shown(&next.mine());
        let word = if begun { "You are at" } else { "Next" };
        say(format_args!("\n{word}: {}", describe(next)));
        if begun {
            say(format_args!("Your file:  {mine}"));
            say("\ncargo xtask learn watch     checks it each time you save");
            say("cargo xtask learn hint      shows the next hint");
        } else {
            say(format_args!("\ncargo xtask learn start     makes your file, {mine}"));
        }
        say("cargo xtask learn list      shows all exercises");
        Ok(())
    }

    pub(crate) fn show_bar(&self, progress: &Progress) {
        let all = self.list.len();
        let done = self.list.iter().filter(|exercise| progress.is_done(exercise)).count();
        let width = 30;
        let full = done * width / all;
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(width - full));
        say(format_args!("[{bar}] {done} of {all} exercises passed"));
        if let Some(lesson) = &self.lesson {
            let own = self.of_lesson();
            let done = own.iter().filter(|exercise| progress.is_done(exercise)).count();
            let all = own.len();
            let end = if done == all { "; what follows is not in it" } else { "" };
            say(format_args!("The lesson \"{}\": {done} of {all} passed{end}", lesson.title));
        }
    }

    /// Returns the exercises of the lesson, which are the first of the list.
    fn of_lesson(&self) -> &[Exercise] {
        &self.list[..self.lesson.as_ref().map_or(0, |lesson| lesson.exercises.len())]
    }

    pub(crate) fn show_list(&self) -> Result<()> {
        let progress = self.progress()?;
        let next = progress.next(&self.list).map(|exercise| &exercise.name);
        let longest = self.list.iter().map(|exercise| exercise.name.len()).max().unwrap_or(0);
        let mut heading = String::new();
        for (index, exercise) in self.list.iter().enumerate() {
            let above = match &self.lesson {
                Some(lesson) if index < self.of_lesson().len() => lesson.title.clone(),
                _ => exercise.chapter.clone(),
            };
            if heading != above {
                heading = above;
                say(format_args!("\n{heading}"));
            }
            let state = match exercise {
                it if progress.is_done(it) => "passed",
                it if progress.is_skipped(it) => "skipped",
                it if progress.was_passed(it) => "again",
                it if self.root.join(it.mine()).is_file() => "begun",
                _ => "",
            };
            let mark = if next == Some(&exercise.name) { ">" } else { " " };
            let Exercise { name, title, minutes, kind, .. } = exercise;
            say(format_args!(
                "{mark} {state:<7}  {name:<longest$}  {title} ({}, {minutes} minutes)",
                kind.word()
            ));
        }
        say("");
        self.show_bar(&progress);
        Ok(())
    }

    pub(crate) fn show_task(&self, exercise: &Exercise) -> Result<()> {
        let (task, sections) = exercise.task(self.root)?;
        say(format_args!("\n== {}\n\n{task}", describe(exercise)));
        for (heading, text) in sections.iter().filter(|(heading, _)| heading != "Going further") {
            say(format_args!("\n{heading}:\n\n{text}"));
        }
        say(format_args!("\nYour file:   {}", shown(&exercise.mine())));
        say(format_args!("Its check:   {}/check.rs", shown(&exercise.folder())));
        say("\ncargo xtask learn watch     checks your file each time you save it");
        let package = exercise.package();
        say(format_args!("cargo test -p {package:<13} checks it once, without this tool"));
        say("cargo xtask learn hint      shows a hint");
        Ok(())
    }

    pub(crate) fn show_outcome(&self, exercise: &Exercise, passed: bool) -> Result<()> {
        if !passed {
            say(format_args!("Not yet: {}.", exercise.title));
            return Ok(());
        }
        say(format_args!("Passed: {}.", exercise.title));
        let progress = self.progress()?;
        self.show_bar(&progress);
        say(format_args!("cargo xtask learn solution {}   explains a solution", exercise.name));
        match progress.next(&self.list) {
            Some(next) => say(format_args!("Next: {}: cargo xtask learn start", describe(next))),
            None => say("That was the last exercise."),
        }
        Ok(())
    }
}

pub(crate) fn describe(exercise: &Exercise) -> String {
    let Exercise { name, title, minutes, kind, .. } = exercise;
    format!("{title} ({name}; {}, {minutes} minutes)", kind.word())
}
