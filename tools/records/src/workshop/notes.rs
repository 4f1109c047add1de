//! What a teacher needs, taken from the pages: their notes, with the minutes.
//!
//! The notes stand at a page's end, in the box `For teachers`, which [`hidden`] takes off the page that a reader sees.
//! Each begins one paragraph with each of `LEADS`, in this order. The minutes of a page are those of its parts. Each part is a link to the heading
//! at which it begins, so that the slides and the agendas lead there:
//!
//! ```markdown
//! **Minutes:** 40: [the experiment](#predict) 10, [the server](#run-it) 15, [exercise `overlap`](#your-turn) 15.
//! ```
//!
//! An exercise takes the minutes that `exercises/exercises.toml` gives it, and belongs to this page there.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result, ensure};
use regex::Regex;

use crate::workshop::exercises::{Exercise, exercises};

/// The words in bold with which the paragraphs of a page's notes begin.
const LEADS: [&str; 6] = [
    "Minutes:",
    "Type live:",
    "Ask before the reveal:",
    "Answers that come:",
    "What goes wrong:",
    "Leads on:",
];

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

    /// A link to it from another page, and its minutes.
    pub(crate) fn linked(&self, page: &str) -> String {
        format!("[{}]({page}.md#{}) {}", self.name, self.anchor, self.minutes)
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
    /// All of the notes, as Markdown.
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
        check_leads(notes).with_context(wrong)?;
        let parts = parts_of(notes).with_context(wrong)?;
        let own = exercises.iter().filter(|exercise| exercise.chapter == page);
        let part = |exercise: &Exercise| Part {
            name: format!("{EXERCISE} `{}`", exercise.name),
            anchor: YOUR_TURN.to_owned(),
            minutes: exercise.minutes,
        };
        let exercises: Vec<Part> = own.map(part).collect();
        check_exercises(&parts, &exercises).with_context(wrong)?;
        let text = notes.trim().to_owned();
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

/// An exercise among the parts is one of the page's, with its minutes; and a page that has some names one.
fn check_exercises(parts: &[Part], exercises: &[Part]) -> Result<()> {
    let mut named = parts.iter().filter(|part| part.is_exercise()).peekable();
    ensure!(
        named.peek().is_some() || exercises.is_empty(),
        "the page has exercises, and no part of it is one: [{EXERCISE} `NAME`](#{YOUR_TURN}) MINUTES"
    );
    for Part { name, minutes, .. } in named {
        let known = exercises.iter().find(|exercise| exercise.name == *name);
        let known = known.with_context(|| {
            let names: Vec<&str> = exercises.iter().map(|exercise| &*exercise.name).collect();
            format!("`{name}` is no exercise of this page; it has: {}", names.join(", "))
        })?;
        let listed = known.minutes;
        ensure!(
            listed == *minutes,
            "`{name}` takes {minutes} minutes here, and {listed} in exercises/exercises.toml"
        );
    }
    Ok(())
}

/// Every paragraph that begins in bold begins with one of the leads, and each of them comes once, in order.
fn check_leads(notes: &str) -> Result<()> {
    let bold = notes.lines().filter_map(|line| line.strip_prefix("**")?.split_once("**"));
    let found: Vec<&str> = bold.map(|(lead, _)| lead).collect();
    ensure!(found == LEADS, "the paragraphs begin with {found:?}, and should begin with {LEADS:?}");
    Ok(())
}

static MINUTES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\*\*Minutes:\*\* (\d+): ([^.\n]+)\.").expect("a correct expression")
});

static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[([^\]]+)\]\(#([\w-]+)\) (\d+)$").expect("a correct expression")
});

fn parts_of(notes: &str) -> Result<Vec<Part>> {
    let form = "**Minutes:** 25: [NAME](#heading) 10, [NAME](#heading) 15.";
    let found = MINUTES
        .captures(notes)
        .with_context(|| format!("the minutes are not written like this: {form}"))?;
    let whole: u32 = found[1].parse().context("too many minutes")?;
    let mut parts: Vec<Part> = Vec::new();
    for text in found[2].split(", ") {
        let found = PART.captures(text).with_context(|| {
            format!("`{text}` is no link to a heading with its minutes, as in: {form}")
        })?;
        let minutes = found[3].parse().context("too many minutes")?;
        let part = Part { name: found[1].to_owned(), anchor: found[2].to_owned(), minutes };
        ensure!(part.minutes > 0, "`{}` takes no time", part.name);
        let twice = parts.iter().any(|known| known.name == part.name);
        ensure!(!twice, "there are two parts `{}`", part.name);
        parts.push(part);
    }
    let sum = total(&parts);
    ensure!(sum == whole, "the minutes of the parts are {sum} in total, not {whole}");
    Ok(parts)
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

/// The table of all parts with their minutes. Fails when a page or the list of exercises can't be read, or notes have a
/// mistake.
pub fn minutes(root: &Path) -> Result<String> {
    let mut text =
        "| page | minutes | its parts | all its exercises |\n|---|---:|---|---:|\n".to_owned();
    let mut sum = 0;
    for Notes { page, title, parts, exercises, .. } in read_notes(root)? {
        let minutes = total(&parts);
        let links: Vec<String> = parts.iter().map(|part| part.linked(&page)).collect();
        let (links, all) = (links.join(", "), total(&exercises));
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

/// The page with its box for teachers in a `template`, which no browser shows: the slides read it there.
pub fn hidden(page: &str) -> String {
    let box_of_notes = page.find(SUMMARY).and_then(|at| {
        let start = page[..at].rfind("<details>")?;
        let end = at + page[at..].find("</details>")? + "</details>".len();
        Some((start, end))
    });
    let Some((start, end)) = box_of_notes else { return page.to_owned() };
    let before = &page[..start];
    let notes = &page[start..end];
    let after = &page[end..];
    format!("{before}<template class=\"for-teachers\">\n\n{notes}\n\n</template>{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::{book, page};

    #[test]
    fn a_page_hides_its_notes_and_nothing_else() {
        let page = page("10: [a](#x) 10.") + "\n[a]: b.md\n";
        let hidden = hidden(&page);
        let (before, rest) = hidden.split_once("<template class=\"for-teachers\">\n\n").unwrap();
        let (notes, after) = rest.split_once("\n\n</template>").unwrap();
        assert!(notes.starts_with("<details>") && notes.ends_with("</details>"), "{notes}");
        assert_eq!(format!("{before}{notes}{after}"), page);
        assert!(!before.contains("For teachers") && after.contains("[a]: b.md"), "{hidden}");
        assert_eq!(super::hidden("# None\n"), "# None\n");
    }

    #[test]
    fn notes_have_their_form() {
        let read = |text: &str| Notes::of_page("one", text, &[]);
        let notes = read(&page("25: [a](#x) 10, [b c](#y-z) 15.")).unwrap().unwrap();
        let links: Vec<String> = notes.parts.iter().map(|part| part.linked("p")).collect();
        assert_eq!(links, ["[a](p.md#x) 10", "[b c](p.md#y-z) 15"]);
        for (minutes, complaint) in [
            ("30: [a](#x) 10, [b](#x) 15.", "25 in total, not 30"),
            ("10: [a](#x) ten.", "is no link to a heading with its minutes"),
            ("10: a 10.", "is no link to a heading"),
            ("20: [a](#x) 10, [a](#y) 10.", "two parts `a`"),
            ("0: [a](#x) 0.", "no time"),
            ("an hour", "not written like this"),
            ("10: [exercise](#x) 10.", "is no exercise of this page"),
            ("10: [a](#x) 10.\n\n**On:**", "should begin with"),
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
    }
}
