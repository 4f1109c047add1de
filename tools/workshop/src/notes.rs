//! What a teacher needs, taken from the pages: their notes with the minutes, and agendas that add these up.
//!
//! The notes stand at a page's end, in the box `For teachers`. Each begins one paragraph with each of
//! [`LEADS`], in this order. The minutes of a page are those of its parts. Each part is a link to the heading
//! at which it begins, so that the slides and the agendas lead there:
//!
//! ```markdown
//! **Minutes:** 40: [the experiment](#predict) 10, [the server](#run-it) 15, [exercise `overlap`](#your-turn) 15.
//! ```
//!
//! An exercise takes the minutes that `exercises/exercises.toml` gives it, and belongs to this page there.
//!
//! The agendas are data, in `book/workshop.toml`:
//!
//! ```toml
//! [[agenda]]
//! name = "half-day"
//! title = "Half a day"
//! promised = 240
//!
//! [[agenda.day]]
//! start = "09:00"
//! slots = [
//!     { say = "Welcome", minutes = 5 },
//!     { page = "ch01-single-threaded", parts = ["the experiment", "exercise"] },
//!     { pause = 15 },
//! ]
//! ```
//!
//! The part "exercise" is the one that the page's notes name; "exercise lose_none" is another one of that page.

mod order;

pub use order::{Order, order};

use std::{collections::BTreeSet, fmt::Write, fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;
use serde::Deserialize;

use crate::exercises::Exercise;
use crate::exercises::exercises;

/// The words in bold with which the paragraphs of a page's notes begin.
pub const LEADS: [&str; 6] = [
    "Minutes:",
    "Type live:",
    "Ask before the reveal:",
    "Answers that come:",
    "What goes wrong:",
    "Leads on:",
];

/// The folder of the pages, from the repository's root.
const BOOK: &str = "book";

/// The file of the agendas, among the pages.
pub const AGENDAS: &str = "workshop.toml";

/// From so many minutes on, a break is for a meal.
const LUNCH: u32 = 45;

/// The line with which the box of a page's notes begins.
const SUMMARY: &str = "<summary>For teachers</summary>";

/// With this begins the name of a part that is an exercise.
const EXERCISE: &str = "exercise";

/// The heading of a chapter below which its exercises stand, as an anchor.
const YOUR_TURN: &str = "your-turn";

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, as Markdown.
    pub name: String,
    /// The heading at which it begins, as an anchor.
    pub anchor: String,
    /// How long it takes.
    pub minutes: u32,
}

impl Part {
    /// The exercise of this name.
    fn of_exercise(exercise: &Exercise) -> Part {
        Part {
            name: format!("{EXERCISE} `{}`", exercise.name),
            anchor: YOUR_TURN.to_owned(),
            minutes: exercise.minutes,
        }
    }

    fn is_exercise(&self) -> bool {
        self.name == EXERCISE || self.name.starts_with("exercise ")
    }

    /// A link to it from another page, and its minutes.
    fn linked(&self, page: &str) -> String {
        format!("[{}]({page}.md#{}) {}", self.name, self.anchor, self.minutes)
    }
}

/// What a page tells its teacher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// The page's file without its ending: `ch03-threadpool`.
    pub page: String,
    /// Its heading.
    pub title: String,
    /// Its parts, in their order.
    pub parts: Vec<Part>,
    /// All of its exercises, as parts.
    pub exercises: Vec<Part>,
    /// All of the notes, as Markdown.
    pub text: String,
}

impl Notes {
    /// The notes in this page; `None` if it has none. `exercises` are those of all pages.
    ///
    /// # Errors
    /// When a lead is missing or in the wrong place, or the minutes can't be read, don't add up, or are not
    /// those of an exercise.
    pub fn of_page(page: &str, text: &str, exercises: &[Exercise]) -> Result<Option<Notes>> {
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
        let exercises: Vec<Part> = own.map(Part::of_exercise).collect();
        check_exercises(&parts, &exercises).with_context(wrong)?;
        let text = notes.trim().to_owned();
        Ok(Some(Notes { page: page.to_owned(), title, parts, exercises, text }))
    }

    /// The minutes of the whole page.
    pub fn minutes(&self) -> u32 {
        self.parts.iter().map(|part| part.minutes).sum()
    }

    /// The part of this name.
    ///
    /// # Errors
    /// When the page has none.
    fn part(&self, name: &str) -> Result<&Part> {
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
    for part in named {
        let known = exercises.iter().find(|exercise| exercise.name == part.name);
        let known = known.with_context(|| {
            let names: Vec<&str> = exercises.iter().map(|exercise| &*exercise.name).collect();
            format!("`{}` is no exercise of this page; it has: {}", part.name, names.join(", "))
        })?;
        ensure!(
            known.minutes == part.minutes,
            "`{}` takes {} minutes here, and {} in exercises/exercises.toml",
            part.name,
            part.minutes,
            known.minutes
        );
    }
    Ok(())
}

/// Every paragraph that begins in bold begins with one of the leads, and each of them comes once, in order.
fn check_leads(notes: &str) -> Result<()> {
    let bold = notes.lines().filter_map(|line| line.strip_prefix("**")?.split_once("**"));
    let found: Vec<&str> = bold.map(|(lead, _)| lead).collect();
    if found != LEADS {
        bail!("the paragraphs begin with {found:?}, and should begin with {LEADS:?}");
    }
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
    let sum: u32 = parts.iter().map(|part| part.minutes).sum();
    ensure!(sum == whole, "the minutes of the parts are {sum} together, and not {whole}");
    Ok(parts)
}

/// The notes of all pages, in the order of `SUMMARY.md`.
///
/// # Errors
/// When a page or the list of exercises can't be read, or notes have a mistake.
pub fn read_notes(root: &Path) -> Result<Vec<Notes>> {
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

/// The file of the agendas.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agendas {
    agenda: Vec<Agenda>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agenda {
    /// What `{{#agenda NAME}}` calls it.
    name: String,
    /// The heading above it.
    title: String,
    /// How many minutes a day may have.
    promised: u32,
    day: Vec<Day>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Day {
    /// When it begins: `09:00`.
    start: String,
    slots: Vec<Slot>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Slot {
    /// Parts of a page.
    Page { page: String, parts: Vec<String> },
    /// Something that no page says.
    Say { say: String, minutes: u32 },
    /// A break of so many minutes.
    Pause { pause: u32 },
}

fn read_agendas(root: &Path) -> Result<Vec<Agenda>> {
    let path = root.join(BOOK).join(AGENDAS);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let Agendas { agenda } =
        toml::from_str(&text).with_context(|| format!("{AGENDAS} is malformed"))?;
    Ok(agenda)
}

fn named<'a>(agendas: &'a [Agenda], name: &str) -> Result<&'a Agenda> {
    agendas.iter().find(|agenda| agenda.name == name).with_context(|| {
        let names: Vec<&str> = agendas.iter().map(|agenda| agenda.name.as_str()).collect();
        format!("{AGENDAS} has no agenda `{name}`, only: {}", names.join(", "))
    })
}

/// The table of an agenda.
///
/// # Errors
/// When there is no such agenda, or it names an unknown page or part, a part twice, or more minutes than it promises.
pub fn agenda(root: &Path, name: &str) -> Result<String> {
    let agendas = read_agendas(root)?;
    let agenda = named(&agendas, name)?;
    let notes = read_notes(root)?;
    let table = table(agenda, &notes);
    table.with_context(|| format!("{AGENDAS}, the agenda `{name}`"))
}

fn of_page<'a>(notes: &'a [Notes], page: &str) -> Result<&'a Notes> {
    let known = notes.iter().find(|notes| notes.page == page);
    known.with_context(|| format!("there is no page {page}.md that has notes for teachers"))
}

fn table(agenda: &Agenda, notes: &[Notes]) -> Result<String> {
    let mut text = String::new();
    let mut held = BTreeSet::new();
    for (index, day) in agenda.day.iter().enumerate() {
        if agenda.day.len() > 1 {
            let _ = writeln!(text, "**Day {}**\n", index + 1);
        }
        text += "| starts at | minutes | what | which parts |\n|---|---:|---|---|\n";
        let start = minute_of_day(&day.start)?;
        let (mut now, mut pauses) = (start, 0);
        for slot in &day.slots {
            let (minutes, what) = match slot {
                Slot::Pause { pause } => {
                    pauses += pause;
                    let name = if *pause < LUNCH { "*Break*" } else { "*Lunch*" };
                    (*pause, format!("{name} | "))
                }
                Slot::Say { say, minutes } => (*minutes, format!("{say} | ")),
                Slot::Page { page, parts } => {
                    let known = of_page(notes, page)?;
                    let mut minutes = 0;
                    let mut named = Vec::new();
                    for part in parts {
                        let own = known.part(part)?;
                        let fresh = held.insert((page, &own.name));
                        ensure!(fresh, "{page}.md, `{part}`: it is held twice");
                        minutes += own.minutes;
                        named.push(own.linked(page));
                    }
                    ensure!(minutes > 0, "{page}.md: no part of it is named");
                    (minutes, format!("[{}]({page}.md) | {}", known.title, named.join(", ")))
                }
            };
            ensure!(minutes > 0, "something takes no time");
            let _ = writeln!(text, "| {} | {minutes} | {what} |", time_of_day(now));
            now += minutes;
        }
        let took = now - start;
        ensure!(
            took <= agenda.promised,
            "a day takes {took} minutes, and \"{}\" promises at most {}",
            agenda.title,
            agenda.promised
        );
        ensure!(now <= 24 * 60, "a day goes on after midnight");
        let _ = writeln!(
            text,
            "| **{}** | **{took}** | **The end** | {} with the class, {pauses} of breaks |\n",
            time_of_day(now),
            took - pauses
        );
    }
    Ok(text.trim_end().to_owned())
}

fn minute_of_day(text: &str) -> Result<u32> {
    let parts = text.split_once(':').and_then(|(hours, minutes)| {
        let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
        (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
    });
    parts.with_context(|| format!("`{text}` is no time of the day, such as 09:00"))
}

fn time_of_day(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}

/// The table of all parts with their minutes.
///
/// # Errors
/// As [`read_notes`].
pub fn minutes(root: &Path) -> Result<String> {
    let mut text =
        "| page | minutes | its parts | all its exercises |\n|---|---:|---|---:|\n".to_owned();
    let mut sum = 0;
    for notes in read_notes(root)? {
        let parts: Vec<String> = notes.parts.iter().map(|part| part.linked(&notes.page)).collect();
        let all: u32 = notes.exercises.iter().map(|exercise| exercise.minutes).sum();
        sum += notes.minutes();
        let _ = writeln!(
            text,
            "| [{}]({}.md) | {} | {} | {} |",
            notes.title,
            notes.page,
            notes.minutes(),
            parts.join(", "),
            if all > 0 { all.to_string() } else { String::new() }
        );
    }
    let _ = write!(text, "| **all of it** | **{sum}** | {} h {} min | |", sum / 60, sum % 60);
    Ok(text)
}

/// The notes of all pages, one after the other.
///
/// # Errors
/// As [`read_notes`].
pub fn notes(root: &Path) -> Result<String> {
    let mut text = String::new();
    for notes in read_notes(root)? {
        // A link within its page now leads there from another.
        let inside = notes.text.replace("](#", &format!("]({}.md#", notes.page));
        let _ = write!(
            text,
            "<div class=\"sheet\">\n\n## {}\n\n[The page]({page}.md)\n\n{inside}\n\n</div>\n\n",
            notes.title,
            page = notes.page
        );
    }
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(minutes: &str) -> String {
        format!(
            "# One thread\n\nText.\n\n<details>\n<summary>For teachers</summary>\n\n**Minutes:** {minutes}\n\n\
             **Type live:**\n\n1. This.\n\n**Ask before the reveal:** Why?\n\n**Answers that come:** \"No.\"\n\n\
             **What goes wrong:** All, see [there](#x).\n\n**Leads on:** \"And now?\"\n\n</details>\n"
        )
    }

    /// A repository with three pages, and two exercises for the page `one`.
    pub(super) fn book(agenda: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["book", "exercises"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("book/SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n- [Three](three.md)\n");
        write(
            "book/one.md",
            &page(
                "40: [the experiment](#a) 10, [the server](#b-c) 15, [exercise `easy`](#your-turn) 15.",
            ),
        );
        write("book/two.md", &page("20: [all of it](#a) 20. With less, skip it."));
        write("book/three.md", "# Three\n\nNo notes.\n");
        write("book/workshop.toml", agenda);
        let mut list = String::new();
        for (name, minutes) in [("easy", 15), ("hard", 20)] {
            let _ = write!(
                list,
                "[[exercise]]\nname = \"{name}\"\nchapter = \"one\"\ntitle = \"T\"\nminutes = {minutes}\n\
                 kind = \"write\"\nidea = \"I.\"\n"
            );
        }
        write("exercises/exercises.toml", &list);
        folder
    }

    pub(super) fn with_slots(slots: &str) -> String {
        format!(
            "[[agenda]]\nname = \"short\"\ntitle = \"An hour\"\npromised = 60\n[[agenda.day]]\nstart = \"09:30\"\nslots = [{slots}]\n"
        )
    }

    fn error(slots: &str) -> String {
        format!("{:#}", agenda(book(&with_slots(slots)).path(), "short").unwrap_err())
    }

    #[test]
    fn an_agenda_adds_the_minutes_of_the_pages_and_of_the_exercises_up() {
        let slots = "{ say = \"Welcome\", minutes = 5 }, { page = \"one\", parts = [\"the server\", \"exercise\"] }, \
                     { pause = 5 }, { page = \"one\", parts = [\"exercise hard\"] }";
        assert_eq!(
            agenda(book(&with_slots(slots)).path(), "short").unwrap(),
            "| starts at | minutes | what | which parts |\n|---|---:|---|---|\n\
             | 09:30 | 5 | Welcome |  |\n\
             | 09:35 | 30 | [One thread](one.md) | [the server](one.md#b-c) 15, [exercise `easy`](one.md#your-turn) 15 |\n\
             | 10:05 | 5 | *Break* |  |\n\
             | 10:10 | 20 | [One thread](one.md) | [exercise `hard`](one.md#your-turn) 20 |\n\
             | **10:30** | **60** | **The end** | 55 with the class, 5 of breaks |"
        );
    }

    #[test]
    fn the_minutes_of_an_exercise_are_those_of_its_list() {
        let folder = book(&with_slots("{ page = \"one\", parts = [\"exercise\"] }"));
        let list = folder.path().join("exercises/exercises.toml");
        let good = fs::read_to_string(&list).unwrap();
        assert!(agenda(folder.path(), "short").unwrap().contains(" 15 |"));
        // Somebody has found out that it takes longer.
        fs::write(&list, good.replace("minutes = 15", "minutes = 20")).unwrap();
        let message = format!("{:#}", agenda(folder.path(), "short").unwrap_err());
        assert!(message.contains("takes 15 minutes here, and 20 in exercises"), "{message}");
        // It has moved to another page.
        fs::write(&list, good.replacen("\"one\"", "\"two\"", 1)).unwrap();
        let message = format!("{:#}", agenda(folder.path(), "short").unwrap_err());
        assert!(
            message.contains("is no exercise of this page; it has: exercise `hard`"),
            "{message}"
        );
        // A page with exercises plans none.
        fs::write(&list, good.replacen("\"one\"", "\"two\"", 2)).unwrap();
        let one = folder.path().join("book/one.md");
        fs::write(one, page("10: [all](#a) 10.")).unwrap();
        let message = format!("{:#}", minutes(folder.path()).unwrap_err());
        assert!(
            message.contains("two.md") && message.contains("no part of it is one"),
            "{message}"
        );
    }

    #[test]
    fn an_agenda_that_can_not_be_held_is_refused() {
        assert!(error("{ page = \"four\", parts = [\"x\"] }").contains("no page four.md"));
        assert!(error("{ page = \"three\", parts = [\"x\"] }").contains("no page three.md"));
        let message = error("{ page = \"one\", parts = [\"the serve\"] }");
        assert!(message.contains("no part `the serve`"), "{message}");
        assert!(message.contains("exercise easy, exercise hard, the experiment"), "{message}");
        assert!(error("{ page = \"two\", parts = [\"exercise\"] }").contains("no part `exercise`"));
        assert!(error("{ page = \"one\", parts = [] }").contains("no part of it"));
        let twice = "{ page = \"one\", parts = [\"exercise\"] }, { page = \"one\", parts = [\"exercise easy\"] }";
        assert!(error(twice).contains("twice"));
        assert!(error("{ pause = 61 }").contains("a day takes 61 minutes"));
        assert!(error("{ pause = 5, page = \"one\" }").contains("malformed"));
        let message = format!("{:#}", agenda(book(&with_slots("")).path(), "long").unwrap_err());
        assert!(message.contains("no agenda `long`, only: short"), "{message}");
        let late = with_slots("{ pause = 5 }").replace("09:30", "25:00");
        let message = format!("{:#}", agenda(book(&late).path(), "short").unwrap_err());
        assert!(message.contains("no time of the day"), "{message}");
    }

    #[test]
    fn notes_have_their_form() {
        let read = |text: &str| Notes::of_page("one", text, &[]);
        let notes = read(&page("25: [a](#x) 10, [b c](#y-z) 15.")).unwrap().unwrap();
        let part = |name: &str, anchor: &str, minutes| Part {
            name: name.to_owned(),
            anchor: anchor.to_owned(),
            minutes,
        };
        assert_eq!(notes.parts, [part("a", "x", 10), part("b c", "y-z", 15)]);
        assert_eq!(notes.minutes(), 25);
        let complaint = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert!(
            complaint(&page("30: [a](#x) 10, [b](#x) 15.")).contains("25 together, and not 30")
        );
        assert!(
            complaint(&page("10: [a](#x) ten."))
                .contains("is no link to a heading with its minutes")
        );
        assert!(complaint(&page("10: a 10.")).contains("is no link to a heading"));
        assert!(complaint(&page("20: [a](#x) 10, [a](#y) 10.")).contains("two parts `a`"));
        assert!(complaint(&page("0: [a](#x) 0.")).contains("no time"));
        assert!(complaint(&page("an hour")).contains("not written like this"));
        assert!(complaint(&page("10: [exercise](#x) 10.")).contains("is no exercise of this page"));
        let lacking = page("10: [a](#x) 10.").replace("**Leads on:**", "On:");
        assert!(complaint(&lacking).contains("should begin with"));
        assert_eq!(read("# No notes\n").unwrap(), None);
    }

    #[test]
    fn the_notes_of_all_pages_are_one() {
        let folder = book("");
        let text = notes(folder.path()).unwrap();
        assert_eq!(text.matches("## One thread").count(), 2);
        assert!(text.contains("see [there](one.md#x)"), "{text}");
        let table = minutes(folder.path()).unwrap();
        assert!(table.contains(
            "| [One thread](one.md) | 40 | [the experiment](one.md#a) 10, [the server](one.md#b-c) 15, \
             [exercise `easy`](one.md#your-turn) 15 | 35 |"
        ), "{table}");
        assert!(table.ends_with("| **all of it** | **60** | 1 h 0 min | |"), "{table}");
    }
}
