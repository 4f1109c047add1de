//! The parts of the pages with their minutes, as the notes for teachers have them.
//!
//! The notes stand in `book/teachers-notes.md`, below a heading for each page. They begin with the parts of the page. Each
//! is a link to the heading at which it begins, so that the teacher's window and the agendas lead there, and has its
//! minutes:
//!
//! ```markdown
//! ## One thread {#ch01-single-threaded}
//!
//! **Minutes:** [the experiment](ch01-single-threaded.md#predict) 10, [exercise `overlap`](ch01-single-threaded.md#your-turn).
//! ```
//!
//! An exercise has none here: it takes those that `exercises/exercises.toml` gives it.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};

use crate::workshop::exercises::{Exercise, exercises};

/// The folder of the pages, from the repository's root.
pub(crate) const BOOK: &str = "book";

/// The page of the notes, in that folder.
const NOTES: &str = "teachers-notes.md";

/// The first word in the name of a part that is an exercise.
const EXERCISE: &str = "exercise";

/// The heading of a chapter below which its exercises stand, as an anchor.
const YOUR_TURN: &str = "your-turn";

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name, in Markdown.
    pub name: String,
    /// The heading at which it begins, as an anchor.
    pub anchor: String,
    pub minutes: u32,
}

impl Part {
    fn is_exercise(&self) -> bool {
        self.name == EXERCISE || self.name.starts_with("exercise ")
    }

    /// Returns the name of the exercise that it is, if it is one.
    pub(crate) fn exercise(&self) -> Option<&str> {
        let name = self.name.strip_prefix(EXERCISE)?.trim();
        Some(name.trim_matches('`')).filter(|_| self.is_exercise())
    }

    /// Returns its name without the marks of code.
    fn plain_name(&self) -> String {
        self.name.replace('`', "")
    }

    /// Writes a link to it from this file, and its minutes. Its own page needs no name.
    pub(crate) fn linked(&self, file: &str) -> String {
        format!("[{}]({file}#{}) {}", self.name, self.anchor, self.minutes)
    }
}

/// The notes on a page for its teacher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notes {
    /// The page's file without its ending: `ch03-threadpool`.
    pub page: String,
    pub title: String,
    /// Its parts, in their order.
    parts: Vec<Part>,
    /// All exercises of the page, as parts.
    exercises: Vec<Part>,
}

impl Notes {
    /// Reads the notes in this text, which stands below the heading of their page. `exercises` are those of all pages.
    fn of_page(page: &str, title: &str, text: &str, exercises: &[Exercise]) -> Result<Notes> {
        let mut own = Vec::new();
        for exercise in exercises.iter().filter(|exercise| exercise.chapter == page) {
            own.push(Part {
                name: format!("{EXERCISE} `{}`", exercise.name),
                anchor: YOUR_TURN.to_owned(),
                minutes: exercise.minutes,
            });
        }
        let line = minutes_in(text)
            .with_context(|| format!("the minutes are not written like this: {FORM}"))?;
        let parts = parts_of(page, line, &own)?;
        Ok(Notes { page: page.to_owned(), title: title.to_owned(), parts, exercises: own })
    }

    /// Finds the part of this name.
    pub(crate) fn part(&self, name: &str) -> Result<&Part> {
        let mut all = self.parts.iter().chain(&self.exercises);
        let known = match name {
            EXERCISE => all.find(|part| part.is_exercise()),
            _ => all.find(|part| part.plain_name() == name),
        };
        known.with_context(|| {
            let all = self.parts.iter().chain(&self.exercises);
            let names: BTreeSet<String> = all.map(Part::plain_name).collect();
            let names: Vec<String> = names.into_iter().collect();
            format!("{}.md has no part `{name}`; its parts are: {}", self.page, names.join(", "))
        })
    }
}

/// The form in which the minutes are written.
const FORM: &str = "**Minutes:** [NAME](page.md#heading) 10, [exercise `NAME`](page.md#your-turn).";

/// Finds the parts behind `**Minutes:**`, up to the end of their sentence.
fn minutes_in(notes: &str) -> Option<&str> {
    let line = notes.lines().find_map(|line| line.strip_prefix("**Minutes:** "))?;
    let end = line.find(". ").or_else(|| line.ends_with('.').then(|| line.len() - 1))?;
    Some(&line[..end])
}

/// A part as the notes write it: `[NAME](page.md#heading) 10`.
struct PartLink<'a> {
    name: &'a str,
    page: &'a str,
    anchor: &'a str,
    minutes: Option<u32>,
}

impl<'a> PartLink<'a> {
    fn read(text: &'a str) -> Option<PartLink<'a>> {
        let (name, rest) = text.strip_prefix('[')?.split_once("](")?;
        let (page, rest) = rest.split_once(".md#")?;
        let (anchor, minutes) = rest.split_once(')')?;
        let minutes = match minutes {
            "" => None,
            _ => Some(minutes.strip_prefix(' ')?.parse().ok()?),
        };
        Some(PartLink { name, page, anchor, minutes })
    }
}

/// Reads the parts of the page in this line. An exercise among them is one of these, with its minutes.
fn parts_of(page: &str, line: &str, exercises: &[Part]) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for text in line.split(", ") {
        let PartLink { name, page: leads_to, anchor, minutes } = PartLink::read(text)
            .with_context(|| {
                format!("`{text}` is no link to a heading with its minutes, as in: {FORM}")
            })?;
        ensure!(leads_to == page, "`{text}` leads to another page");
        let exercise = exercises.iter().find(|exercise| exercise.name == name);
        let part = match (exercise, minutes) {
            (Some(exercise), None) => exercise.clone(),
            (Some(_), Some(_)) => bail!("`{name}` has its minutes in exercises/exercises.toml"),
            (None, Some(minutes)) => {
                Part { name: name.to_owned(), anchor: anchor.to_owned(), minutes }
            }
            (None, None) => {
                let names: Vec<&str> = exercises.iter().map(|it| &*it.name).collect();
                let names = names.join(", ");
                bail!("`{name}` has no minutes, and is no exercise of this page; it has: {names}")
            }
        };
        let twice = parts.iter().any(|known| known.name == part.name);
        ensure!(!twice, "there are two parts `{}`", part.name);
        parts.push(part);
    }
    Ok(parts)
}

fn linked(parts: &[Part], file: &str) -> String {
    let links: Vec<String> = parts.iter().map(|part| part.linked(file)).collect();
    links.join(", ")
}

fn total(parts: &[Part]) -> u32 {
    parts.iter().map(|part| part.minutes).sum()
}

/// Reads the notes of all pages, in their order.
pub(crate) fn read_notes(root: &Path) -> Result<Vec<Notes>> {
    let path = root.join(BOOK).join(NOTES);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = text.replace("\r\n", "\n");
    let list = exercises(root)?;
    let mut all = Vec::new();
    let mut faults = Vec::new();
    for section in text.split("\n## ").skip(1) {
        match of_section(section, &list) {
            Ok(notes) => all.push(notes),
            Err(error) => faults.push(format!("{error:#}")),
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(all)
}

/// Reads the notes in a section of their page.
fn of_section(section: &str, exercises: &[Exercise]) -> Result<Notes> {
    let line = section.lines().next().unwrap_or_default();
    let heading = line.strip_suffix('}').and_then(|line| line.rsplit_once(" {#"));
    let (title, page) = heading.with_context(|| {
        format!("{NOTES}: `## {line}` names no page, as in `## TITLE {{#page}}`")
    })?;
    let notes = Notes::of_page(page, title, section, exercises);
    notes.with_context(|| format!("{NOTES}, the notes for {page}"))
}

/// Writes the table of all parts with their minutes. Fails when a page or the list of exercises can't be read, or notes have a
/// mistake.
pub fn minutes(root: &Path) -> Result<String> {
    let mut text =
        "| page | minutes | its parts | all its exercises |\n|---|---:|---|---:|\n".to_owned();
    let mut sum = 0;
    for Notes { page, title, parts, exercises, .. } in read_notes(root)? {
        let minutes = total(&parts);
        let links = linked(&parts, &format!("{page}.md"));
        let all = total(&exercises);
        let all = if all > 0 { all.to_string() } else { String::new() };
        let _ = writeln!(text, "| [{title}]({page}.md) | {minutes} | {links} | {all} |");
        sum += minutes;
    }
    let _ = write!(text, "| **all of it** | **{sum}** | {} h {} min | |", sum / 60, sum % 60);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::book;

    #[test]
    fn the_minutes_of_an_exercise_are_those_of_its_list() {
        let folder = book("");
        let notes = &read_notes(folder.path()).unwrap()[0];
        let exercise = notes.part(EXERCISE).unwrap();
        assert_eq!((exercise.exercise(), exercise.minutes), (Some("easy"), 15));
        assert_eq!(total(&notes.parts), 40);
    }

    #[test]
    fn minutes_that_can_not_be_read_are_refused() {
        let folder = book("");
        let list = exercises(folder.path()).unwrap();
        for (minutes, complaint) in [
            ("[a](one.md#x) ten.", "is no link to a heading with its minutes"),
            ("a 10.", "is no link to a heading"),
            ("[a](two.md#x) 10.", "leads to another page"),
            ("[a](one.md#x) 10, [a](one.md#y) 10.", "two parts `a`"),
            ("an hour", "not written like this"),
            ("[exercise `all`](one.md#x).", "is no exercise of this page; it has: exercise `easy`"),
            ("[exercise `easy`](one.md#x) 15.", "has its minutes in exercises/exercises.toml"),
        ] {
            let text = format!("One {{#one}}\n\n**Minutes:** {minutes}\n");
            let error = Notes::of_page("one", "One", &text, &list).unwrap_err();
            let message = format!("{error:#}");
            assert!(message.contains(complaint), "{minutes}: {message}");
        }
    }

    #[test]
    fn the_faults_of_all_notes_are_told_at_once() {
        let folder = book("");
        let file = folder.path().join("book").join(NOTES);
        let notes = fs::read_to_string(&file).unwrap();
        fs::write(&file, notes.replace("**Minutes:**", "Minutes:")).unwrap();
        let error = read_notes(folder.path()).unwrap_err().to_string();
        for page in ["the notes for one", "the notes for two"] {
            assert!(error.contains(page), "{error}");
        }
    }

    #[test]
    fn the_minutes_of_all_pages_are_added_up() {
        let folder = book("");
        let table = minutes(folder.path()).unwrap();
        assert!(table.contains(
            "| [One thread](one.md) | 40 | [the experiment](one.md#a) 10, [the server](one.md#b-c) 15, \
             [exercise `easy`](one.md#your-turn) 15 | 35 |"
        ), "{table}");
        assert!(table.ends_with("| **all of it** | **60** | 1 h 0 min | |"), "{table}");
    }
}
