//! What a teacher needs, taken from the pages: their notes, with the minutes.
//!
//! The notes stand at a page's end, in the box `For teachers`, which [`without`] takes off the page that a reader sees.
//! They begin with the parts of the page. Each is a link to the heading at which it begins, so that the teacher's window
//! and the agendas lead there, and has its minutes:
//!
//! ```markdown
//! **Minutes:** [the experiment](#predict) 10, [the server](#run-it) 15, [exercise `overlap`](#your-turn).
//! ```
//!
//! An exercise has none here: it takes those that `exercises/exercises.toml` gives it. They are written into the line
//! when the book is built, and so is the sum.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::Path,
    sync::LazyLock,
};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use crate::workshop::exercises::{Exercise, exercises};

/// The folder of the pages, from the repository's root.
pub(crate) const BOOK: &str = "book";

/// The line with which the box of a page's notes begins.
const SUMMARY: &str = "<summary>For teachers</summary>";

/// With this begins the name of a part that is an exercise.
const EXERCISE: &str = "exercise";

/// The heading of a chapter below which its exercises stand, as an anchor.
const YOUR_TURN: &str = "your-turn";

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// As Markdown.
    pub name: String,
    /// The heading at which it begins, as an anchor.
    pub anchor: String,
    pub minutes: u32,
}

impl Part {
    fn is_exercise(&self) -> bool {
        self.name == EXERCISE || self.name.starts_with("exercise ")
    }

    /// The name of the exercise that it is, if it is one.
    pub(crate) fn exercise(&self) -> Option<&str> {
        let name = self.name.strip_prefix(EXERCISE)?.trim();
        Some(name.trim_matches('`')).filter(|_| self.is_exercise())
    }

    /// A link to it from this file, and its minutes. Its own page needs no name.
    pub(crate) fn linked(&self, file: &str) -> String {
        format!("[{}]({file}#{}) {}", self.name, self.anchor, self.minutes)
    }
}

/// What a page tells its teacher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notes {
    /// The page's file without its ending: `ch03-threadpool`.
    pub page: String,
    pub title: String,
    /// In their order.
    parts: Vec<Part>,
    /// All exercises of the page, as parts.
    exercises: Vec<Part>,
    /// All of the notes, as Markdown, with all minutes.
    text: String,
}

impl Notes {
    /// The notes in this page; `None` if it has none. `exercises` are those of all pages.
    fn of_page(page: &str, text: &str, exercises: &[Exercise]) -> Result<Option<Notes>> {
        let Some((before, after)) = text.split_once(SUMMARY) else { return Ok(None) };
        let wrong = || format!("{page}.md, the notes for teachers");
        let (notes, rest) =
            after.split_once("</details>").context("they have no end").with_context(wrong)?;
        ensure!(!rest.contains(SUMMARY), "{page}.md has two boxes for teachers");
        let title = before.lines().find_map(|line| line.strip_prefix("# "));
        let title = title.context("the page has no heading").with_context(wrong)?.to_owned();
        let own = exercises.iter().filter(|exercise| exercise.chapter == page);
        let part = |exercise: &Exercise| Part {
            name: format!("{EXERCISE} `{}`", exercise.name),
            anchor: YOUR_TURN.to_owned(),
            minutes: exercise.minutes,
        };
        let exercises: Vec<Part> = own.map(part).collect();
        let line = MINUTES.captures(notes).with_context(|| {
            format!(
                "{page}.md, the notes for teachers: the minutes are not written like this: {FORM}"
            )
        })?;
        let parts = parts_of(&line[1], &exercises).with_context(wrong)?;
        let whole = format!("**Minutes:** {}: {}.", total(&parts), linked(&parts, ""));
        let text = notes.trim().replacen(&line[0], &whole, 1);
        Ok(Some(Notes { page: page.to_owned(), title, parts, exercises, text }))
    }

    /// The part of this name.
    pub(crate) fn part(&self, name: &str) -> Result<&Part> {
        let plain = |part: &Part| part.name.replace('`', "");
        let mut all = self.parts.iter().chain(&self.exercises);
        let known = match name {
            EXERCISE => all.find(|part| part.is_exercise()),
            _ => all.find(|part| plain(part) == name),
        };
        known.with_context(|| {
            let names: BTreeSet<String> =
                self.parts.iter().chain(&self.exercises).map(plain).collect();
            let names: Vec<String> = names.into_iter().collect();
            format!("{}.md has no part `{name}`; its parts are: {}", self.page, names.join(", "))
        })
    }
}

/// How the minutes are written.
const FORM: &str = "**Minutes:** [NAME](#heading) 10, [exercise `NAME`](#your-turn).";

static MINUTES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\*\*Minutes:\*\* ([^.\n]+)\.").expect("a correct expression")
});

static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[([^\]]+)\]\(#([\w-]+)\)(?: (\d+))?$").expect("a correct expression")
});

/// The parts in this line. An exercise among them is one of these, with its minutes.
fn parts_of(line: &str, exercises: &[Part]) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for text in line.split(", ") {
        let found = PART.captures(text).with_context(|| {
            format!("`{text}` is no link to a heading with its minutes, as in: {FORM}")
        })?;
        let name = &found[1];
        let exercise = exercises.iter().find(|exercise| exercise.name == name);
        let part = match (exercise, found.get(3)) {
            (Some(exercise), None) => exercise.clone(),
            (Some(_), Some(_)) => bail!("`{name}` has its minutes in exercises/exercises.toml"),
            (None, Some(minutes)) => Part {
                name: name.to_owned(),
                anchor: found[2].to_owned(),
                minutes: minutes.as_str().parse().context("too many minutes")?,
            },
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

/// The notes of all pages, in the order of `SUMMARY.md`.
pub(crate) fn read_notes(root: &Path) -> Result<Vec<Notes>> {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\]\(([\w-]+)\.md\)").expect("a correct expression"));
    let book = root.join(BOOK);
    let list = exercises(root)?;
    let read = |name: &str| {
        let path = book.join(name);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::Ok(text.replace("\r\n", "\n"))
    };
    let summary = read("SUMMARY.md")?;
    let mut all = Vec::new();
    for link in LINK.captures_iter(&summary) {
        let name = format!("{}.md", &link[1]);
        // A page that is not there is complained about elsewhere.
        if book.join(&name).is_file() {
            all.extend(Notes::of_page(&link[1], &read(&name)?, &list)?);
        }
    }
    Ok(all)
}

/// How many minutes the notes of each page give a class, without its exercises. Fails as [`minutes`].
pub fn in_class(root: &Path) -> Result<BTreeMap<String, u32>> {
    let of = |Notes { page, parts, .. }: Notes| {
        let told = parts.iter().filter(|part| !part.is_exercise());
        let minutes: u32 = told.map(|part| part.minutes).sum();
        (page, minutes)
    };
    Ok(read_notes(root)?.into_iter().map(of).collect())
}

/// The table of all parts with their minutes. Fails when a page or the list of exercises can't be read, or notes have a
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

/// The notes of all pages, one after the other, each in a fold.
///
/// # Errors
/// As [`minutes`].
pub fn notes(root: &Path) -> Result<String> {
    let mut text = String::new();
    for Notes { page, title, text: own, .. } in read_notes(root)? {
        // A link within its page now leads there from another.
        let inside = own.replace("](#", &format!("]({page}.md#"));
        let id = crate::base::heading_id(&title);
        text += &format!(
            "<details class=\"sheet\" id=\"{id}\">\n<summary>{title}</summary>\n\n[The page]({page}.md)\n\n\
             {inside}\n\n</details>\n\n"
        );
    }
    Ok(text.trim_end().to_owned())
}

/// The page without its box for teachers.
///
/// # Errors
/// When the box can't be found.
pub fn without(text: &str) -> Result<String> {
    let Some((before, rest)) = text.split_once(SUMMARY) else { return Ok(text.to_owned()) };
    let (_, after) = rest.split_once("</details>").context("the notes have no end")?;
    let before = before.trim_end().strip_suffix("<details>").context("the notes have no box")?;
    Ok(format!("{before}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::{book, page};

    #[test]
    fn a_page_hides_its_notes_and_nothing_else() {
        let page = page("[a](#x) 10.") + "\n[a]: b.md\n";
        let without = without(&page).unwrap();
        let (before, rest) = page.split_once("<details>").unwrap();
        let (notes, after) = rest.split_once("</details>").unwrap();
        assert!(notes.contains("**Minutes:** [") && after.contains("[a]: b.md"), "{page}");
        assert_eq!(without, format!("{before}{after}"));
        assert_eq!(super::without("# None\n").unwrap(), "# None\n");
    }

    #[test]
    fn the_minutes_of_an_exercise_are_those_of_its_list_and_their_sum_is_written() {
        let folder = book("");
        let list = exercises(folder.path()).unwrap();
        let text = page("[a](#x) 10, [exercise `easy`](#your-turn), [b c](#y-z) 5. Or more.");
        let notes = Notes::of_page("one", &text, &list).unwrap().unwrap();
        let whole = "**Minutes:** 30: [a](#x) 10, [exercise `easy`](#your-turn) 15, [b c](#y-z) 5. Or more.";
        assert!(notes.text.starts_with(whole), "{}", notes.text);
    }

    #[test]
    fn minutes_that_can_not_be_read_are_refused() {
        let folder = book("");
        let list = exercises(folder.path()).unwrap();
        let read = |text: &str| Notes::of_page("one", text, &list);
        for (minutes, complaint) in [
            ("[a](#x) ten.", "is no link to a heading with its minutes"),
            ("a 10.", "is no link to a heading"),
            ("[a](#x) 10, [a](#y) 10.", "two parts `a`"),
            ("an hour", "not written like this"),
            ("[exercise `all`](#x).", "is no exercise of this page; it has: exercise `easy`"),
            ("[exercise `easy`](#x) 15.", "has its minutes in exercises/exercises.toml"),
        ] {
            let message = format!("{:#}", read(&page(minutes)).unwrap_err());
            assert!(message.contains(complaint), "{minutes}: {message}");
        }
        assert_eq!(read("# No notes\n").unwrap(), None);
    }

    #[test]
    fn the_notes_of_all_pages_are_one() {
        let folder = book("");
        let text = notes(folder.path()).unwrap();
        assert_eq!(text.matches("<summary>One thread</summary>").count(), 2);
        assert!(text.contains("see [there](one.md#x)"), "{text}");
        let table = minutes(folder.path()).unwrap();
        assert!(table.contains(
            "| [One thread](one.md) | 40 | [the experiment](one.md#a) 10, [the server](one.md#b-c) 15, \
             [exercise `easy`](one.md#your-turn) 15 | 35 |"
        ), "{table}");
        assert!(table.ends_with("| **all of it** | **60** | 1 h 0 min | |"), "{table}");
        let in_class = in_class(folder.path()).unwrap();
        assert_eq!(in_class, BTreeMap::from([("one".to_owned(), 25), ("two".to_owned(), 20)]));
    }
}
