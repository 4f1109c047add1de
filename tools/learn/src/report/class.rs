//! A class: what was collected from its learners, whatever can't be read of it, and the table of both.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::{plain, say},
    files::read_sent,
    judged::{COLUMNS, Judged},
    workshop::{exercises::exercises, lessons::order},
};

use super::place::{At, Passed, Place};
use crate::{
    learner::{Learner, shown},
    progress::Progress,
};

/// The endings of the files that are read where a folder is given.
const ENDINGS: [&str; 2] = ["json", "txt"];

/// A class.
#[derive(Debug, Default)]
pub(super) struct Class {
    pub rows: Vec<Row>,
    /// What could not be read, a line for each.
    pub faults: Vec<String>,
}

/// What is known of a learner.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub name: String,
    pub place: Option<(Passed, At)>,
    pub judged: Option<Judged>,
}

impl Class {
    /// Reads these files, and those in these folders. Fails when the exercises of this repository can't be read.
    pub(super) fn read(root: &Path, paths: &[PathBuf]) -> Result<Class> {
        let mut class = Class::default();
        for path in paths {
            let read = class.add(root, path);
            class.faults.extend(read.err().map(|error| format!("{error:#}")));
        }
        class.sort(root)?;
        Ok(class)
    }

    /// Adds a file, or all files in a folder and below that may be reports.
    fn add(&mut self, root: &Path, path: &Path) -> Result<()> {
        if !path.is_dir() {
            return self.add_file(root, path);
        }
        let mut inside = Vec::new();
        list_reports(path, &mut inside)?;
        ensure!(!inside.is_empty(), "{} holds no report: no .json and no .txt", shown(path));
        inside.sort();
        for file in inside {
            let read = self.add_file(root, &file);
            self.faults.extend(read.err().map(|error| format!("{error:#}")));
        }
        Ok(())
    }

    fn add_file(&mut self, root: &Path, file: &Path) -> Result<()> {
        let text = read_sent(file)?;
        if !text.trim_start().starts_with('{') {
            return self.add_lines(file, &text);
        }
        let shown = shown(file);
        let json: serde_json::Value =
            serde_json::from_str(&text).with_context(|| format!("{shown} is damaged"))?;
        if json.get("by_level").is_some() {
            let judged =
                Judged::parse(&text).with_context(|| format!("{shown} is no report of a judge"))?;
            self.add_judged(file, judged);
        } else if json.get("exercises").is_some() {
            let progress = serde_json::from_str(&text)
                .with_context(|| format!("{shown} is no record of progress"))?;
            self.add_progress(root, file, &progress)?;
        } else {
            bail!("{shown} is neither a learner's progress.json nor a report of `judge --json`");
        }
        Ok(())
    }

    fn add_progress(&mut self, root: &Path, file: &Path, progress: &Progress) -> Result<()> {
        let lesson = match progress.lesson.as_deref().map(|name| order(root, name)).transpose() {
            Ok(lesson) => lesson,
            Err(error) => {
                self.faults.push(format!("{}: {error:#}; all are counted", shown(file)));
                None
            }
        };
        let Place { name, passed, at } = Place::of(&Learner::following(root, lesson)?, progress);
        let name = Some(plain(&name)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| own_name(file));
        self.row(name, |row| row.place.is_none()).place = Some((passed, at));
        Ok(())
    }

    fn add_judged(&mut self, file: &Path, judged: Judged) {
        let name = judged.learner().unwrap_or_else(|| own_name(file));
        self.row(name, |row| row.judged.is_none()).judged = Some(judged);
    }

    /// Adds the lines of a text. Of several lines of the same learner the last counts: they were written one after the other.
    fn add_lines(&mut self, file: &Path, text: &str) -> Result<()> {
        let shown = shown(file);
        let mut places: Vec<Place> = Vec::new();
        let mut others = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match Place::in_line(line) {
                Some(mut place) => {
                    if place.name.is_empty() {
                        place.name = format!("{}, line {}", own_name(file), index + 1);
                    }
                    places.retain(|earlier| earlier.name != place.name);
                    places.push(place);
                }
                None if line.trim().is_empty() => {}
                None => others.push(format!(
                    "{shown}, line {}, is no report: {}",
                    index + 1,
                    plain(line)
                )),
            }
        }
        ensure!(!places.is_empty(), "{shown} has no line of `cargo xtask learn report`");
        self.faults.extend(others);
        for Place { name, passed, at } in places {
            self.row(name, |row| row.place.is_none()).place = Some((passed, at));
        }
        Ok(())
    }

    /// Finds the row of this name that has room, or begins one.
    fn row(&mut self, name: String, has_room: fn(&Row) -> bool) -> &mut Row {
        let found = self.rows.iter().position(|row| row.name == name && has_room(row));
        let index = found.unwrap_or_else(|| {
            self.rows.push(Row { name, ..Row::default() });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }

    /// Orders the rows by how much is passed, by the exercises at which the learners are, and by their names; those of whom
    /// no place is known come last.
    fn sort(&mut self, root: &Path) -> Result<()> {
        let list = exercises(root)?;
        self.rows.sort_by_key(|row| {
            let place = row.place.as_ref().map(|(passed, at)| {
                let at = at.exercise();
                let index = list.iter().position(|exercise| Some(exercise.name.as_str()) == at);
                (passed.passed, index.unwrap_or(list.len()))
            });
            (place.is_none(), place, natural(&row.name))
        });
        Ok(())
    }

    /// Returns the headings of the table, without those below which nothing stands.
    pub(super) fn headings(&self) -> Vec<&'static str> {
        let mut headings = vec![""];
        if self.has_places() {
            headings.extend(["passed", "at"]);
        }
        if self.has_judged() {
            headings.extend(COLUMNS);
        }
        headings
    }

    fn has_places(&self) -> bool {
        self.rows.iter().any(|row| row.place.is_some())
    }

    fn has_judged(&self) -> bool {
        self.rows.iter().any(|row| row.judged.is_some())
    }

    /// Returns the cells of a row, one below each heading.
    pub(super) fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = vec![row.name.clone()];
        if self.has_places() {
            cells.extend(match &row.place {
                Some((passed, at)) => [passed.to_string(), at.to_string()],
                None => Default::default(),
            });
        }
        if self.has_judged() {
            cells.extend(row.judged.as_ref().map(Judged::cells).unwrap_or_default());
        }
        cells
    }

    /// Says in one line how many are where: `3 learners: 2 at two_waits, 1 with all passed`. `None` where no place is known.
    pub(super) fn sentence(&self) -> Option<String> {
        let mut places: Vec<(Option<&str>, usize)> = Vec::new();
        for (_, at) in self.rows.iter().filter_map(|row| row.place.as_ref()) {
            let at = at.exercise();
            match places.iter_mut().find(|(other, _)| *other == at) {
                Some((_, count)) => *count += 1,
                None => places.push((at, 1)),
            }
        }
        let all: usize = places.iter().map(|(_, count)| count).sum();
        let words = places.iter().map(|(at, count)| match at {
            Some(at) => format!("{count} at {at}"),
            None => format!("{count} with all passed"),
        });
        let words = words.collect::<Vec<_>>().join(", ");
        (all > 0)
            .then(|| format!("{all} {}: {words}", if all == 1 { "learner" } else { "learners" }))
    }

    /// Prints the table.
    pub(super) fn print(&self) {
        let headings = self.headings().into_iter().map(str::to_owned).collect();
        let mut lines: Vec<Vec<String>> = vec![headings];
        lines.extend(self.rows.iter().map(|row| self.cells(row)));
        let mut widths = vec![0; lines[0].len()];
        for cells in &lines {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.chars().count().max(*width);
            }
        }
        for cells in &lines {
            let cells = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
            say(cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        if let Some(sentence) = self.sentence() {
            say(format_args!("\n{sentence}"));
        }
    }
}

/// Lists the files in a folder and below that may be reports. Hidden ones are the system's.
fn list_reports(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder);
    for entry in entries.with_context(|| format!("cannot read {}", shown(folder)))? {
        let path = entry?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let ending = path.extension().and_then(|ending| ending.to_str());
        if is_hidden {
            continue;
        } else if path.is_dir() {
            list_reports(&path, found)?;
        } else if ending.is_some_and(is_of_report) {
            found.push(path);
        }
    }
    Ok(())
}

/// Tells whether a file with this ending may be a report. Some systems write endings in capitals.
fn is_of_report(ending: &str) -> bool {
    ENDINGS.iter().any(|own| ending.eq_ignore_ascii_case(own))
}

/// Returns the name that a file gives to a learner who has given none: its own, or for a `progress.json` that of the
/// learner's folder.
fn own_name(file: &Path) -> String {
    let path = file.with_extension("");
    let mut names = path.iter().rev().map(|name| name.to_string_lossy());
    let usual = ["progress", "exercises", ".", ".."];
    let own = names.find(|name| !usual.contains(&name.as_ref()));
    plain(&own.unwrap_or_else(|| file.to_string_lossy()))
}

/// Orders `pair 10` behind `pair 9`.
fn natural(name: &str) -> (String, u64, String) {
    let start = name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
    let (words, rest) = name.split_at(start);
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    (words.to_lowercase(), rest[..end].parse().unwrap_or(0), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_without_a_name_has_that_of_the_file() {
        for (file, name) in [
            ("class/anna/progress.json", "anna"),
            ("class/anna/exercises/progress.json", "anna"),
            ("class/pair 7.json", "pair 7"),
            ("progress.json", "progress.json"),
        ] {
            assert_eq!(own_name(Path::new(file)), name);
        }
    }

    #[test]
    fn names_with_numbers_are_in_the_order_of_the_numbers() {
        let mut names = ["pair 10", "Anna", "pair 9", "pair 10b"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["Anna", "pair 9", "pair 10", "pair 10b"]);
    }
}
