//! What a teacher needs, taken from the pages: their notes with the minutes, and agendas that add these up.
//!
//! The notes stand at a page's end, in the box `For teachers`. Each begins one paragraph with each of
//! [`LEADS`], in this order. The minutes of a page are those of its parts:
//!
//! ```markdown
//! **Minutes:** 40: the experiment 10, the server 15, exercise 15.
//! ```
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

use std::{collections::BTreeSet, fmt::Write, fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;
use serde::Deserialize;

/// The words in bold with which the paragraphs of a page's notes begin.
pub const LEADS: [&str; 6] = [
    "Minutes:",
    "Type live:",
    "Ask before the reveal:",
    "Answers that come:",
    "What goes wrong:",
    "Leads on:",
];

/// The file of the agendas, among the pages.
pub const AGENDAS: &str = "workshop.toml";

/// From so many minutes on, a break is for a meal.
const LUNCH: u32 = 45;

/// The line with which the box of a page's notes begins.
const SUMMARY: &str = "<summary>For teachers</summary>";

/// What a page tells its teacher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    /// The page's file without its ending: `ch03-threadpool`.
    pub page: String,
    /// Its heading.
    pub title: String,
    /// The names of its parts, in their order, and the minutes of each.
    pub parts: Vec<(String, u32)>,
    /// All of the notes, as Markdown.
    pub text: String,
}

impl Notes {
    /// The notes in this page; `None` if it has none.
    ///
    /// # Errors
    /// When a lead is missing or in the wrong place, or the minutes can't be read or don't add up.
    pub fn of_page(page: &str, text: &str) -> Result<Option<Notes>> {
        let Some((before, after)) = text.split_once(SUMMARY) else { return Ok(None) };
        let wrong = || format!("{page}.md, the notes for teachers");
        let (notes, rest) =
            after.split_once("</details>").context("they have no end").with_context(wrong)?;
        ensure!(!rest.contains(SUMMARY), "{page}.md has two boxes for teachers");
        let title = before.lines().find_map(|line| line.strip_prefix("# "));
        let title = title.context("the page has no heading").with_context(wrong)?.to_owned();
        check_leads(notes).with_context(wrong)?;
        let parts = parts_of(notes).with_context(wrong)?;
        Ok(Some(Notes { page: page.to_owned(), title, parts, text: notes.trim().to_owned() }))
    }

    /// The minutes of the whole page.
    pub fn minutes(&self) -> u32 {
        self.parts.iter().map(|(_, minutes)| minutes).sum()
    }

    /// The minutes of one part.
    ///
    /// # Errors
    /// When the page has no part of this name.
    fn minutes_of(&self, part: &str) -> Result<u32> {
        let known = self.parts.iter().find(|(name, _)| name == part);
        known.map(|(_, minutes)| *minutes).with_context(|| {
            let names: Vec<&str> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
            format!("{}.md has no part `{part}`; its parts are: {}", self.page, names.join(", "))
        })
    }
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

fn parts_of(notes: &str) -> Result<Vec<(String, u32)>> {
    let form = "**Minutes:** 25: NAME 10, NAME 15.";
    let found = MINUTES
        .captures(notes)
        .with_context(|| format!("the minutes are not written like this: {form}"))?;
    let whole: u32 = found[1].parse().context("too many minutes")?;
    let mut parts: Vec<(String, u32)> = Vec::new();
    for part in found[2].split(", ") {
        let (name, minutes) = part
            .rsplit_once(' ')
            .and_then(|(name, minutes)| Some((name, minutes.parse().ok()?)))
            .with_context(|| format!("`{part}` does not end with its minutes, as in: {form}"))?;
        ensure!(minutes > 0, "`{name}` takes no time");
        ensure!(parts.iter().all(|(known, _)| known != name), "there are two parts `{name}`");
        parts.push((name.to_owned(), minutes));
    }
    let sum: u32 = parts.iter().map(|(_, minutes)| minutes).sum();
    ensure!(sum == whole, "the minutes of the parts are {sum} together, and not {whole}");
    Ok(parts)
}

/// The notes of all pages, in the order of `SUMMARY.md`.
///
/// # Errors
/// When a page can't be read, or its notes have a mistake.
pub fn read_notes(book: &Path) -> Result<Vec<Notes>> {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\]\(([\w-]+)\.md\)").expect("a correct expression"));
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
            all.extend(Notes::of_page(&link[1], &read(&name)?)?);
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

/// The table of an agenda.
///
/// # Errors
/// When there is no such agenda, or it names an unknown page or part, a part twice, or more minutes than it promises.
pub fn agenda(book: &Path, name: &str) -> Result<String> {
    let path = book.join(AGENDAS);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let Agendas { agenda: agendas } =
        toml::from_str(&text).with_context(|| format!("{AGENDAS} is malformed"))?;
    let Some(agenda) = agendas.iter().find(|agenda| agenda.name == name) else {
        let names: Vec<&str> = agendas.iter().map(|agenda| agenda.name.as_str()).collect();
        bail!("{AGENDAS} has no agenda `{name}`, only: {}", names.join(", "));
    };
    let notes = read_notes(book)?;
    let table = table(agenda, &notes);
    table.with_context(|| format!("{AGENDAS}, the agenda `{name}`"))
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
                    let known = notes.iter().find(|notes| notes.page == *page);
                    let known = known.with_context(|| {
                        format!("there is no page {page}.md that has notes for teachers")
                    })?;
                    let mut minutes = 0;
                    let mut named = Vec::new();
                    for part in parts {
                        ensure!(held.insert((page, part)), "{page}.md, `{part}`: it is held twice");
                        let own = known.minutes_of(part)?;
                        minutes += own;
                        named.push(format!("{part} {own}"));
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
pub fn minutes(book: &Path) -> Result<String> {
    let mut text = "| page | minutes | its parts |\n|---|---:|---|\n".to_owned();
    let mut sum = 0;
    for notes in read_notes(book)? {
        let parts: Vec<String> =
            notes.parts.iter().map(|(name, minutes)| format!("{name} {minutes}")).collect();
        sum += notes.minutes();
        let _ = writeln!(
            text,
            "| [{}]({}.md) | {} | {} |",
            notes.title,
            notes.page,
            notes.minutes(),
            parts.join(", ")
        );
    }
    let _ = write!(text, "| **all of it** | **{sum}** | {} h {} min |", sum / 60, sum % 60);
    Ok(text)
}

/// The notes of all pages, one after the other.
///
/// # Errors
/// As [`read_notes`].
pub fn notes(book: &Path) -> Result<String> {
    let mut text = String::new();
    for notes in read_notes(book)? {
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

    fn book(agenda: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n- [Three](three.md)\n");
        write("one.md", &page("40: the experiment 10, the server 15, exercise 15."));
        write("two.md", &page("20: all of it 20. With less, skip it."));
        write("three.md", "# Three\n\nNo notes.\n");
        write(AGENDAS, agenda);
        folder
    }

    fn with_slots(slots: &str) -> String {
        format!(
            "[[agenda]]\nname = \"short\"\ntitle = \"An hour\"\npromised = 60\n[[agenda.day]]\nstart = \"09:30\"\nslots = [{slots}]\n"
        )
    }

    fn error(slots: &str) -> String {
        format!("{:#}", agenda(book(&with_slots(slots)).path(), "short").unwrap_err())
    }

    #[test]
    fn an_agenda_adds_the_minutes_of_the_pages_up() {
        let slots = "{ say = \"Welcome\", minutes = 5 }, { page = \"one\", parts = [\"the server\", \"exercise\"] }, \
                     { pause = 5 }, { page = \"two\", parts = [\"all of it\"] }";
        assert_eq!(
            agenda(book(&with_slots(slots)).path(), "short").unwrap(),
            "| starts at | minutes | what | which parts |\n|---|---:|---|---|\n\
             | 09:30 | 5 | Welcome |  |\n\
             | 09:35 | 30 | [One thread](one.md) | the server 15, exercise 15 |\n\
             | 10:05 | 5 | *Break* |  |\n\
             | 10:10 | 20 | [One thread](two.md) | all of it 20 |\n\
             | **10:30** | **60** | **The end** | 55 with the class, 5 of breaks |"
        );
    }

    #[test]
    fn an_agenda_that_can_not_be_held_is_refused() {
        assert!(error("{ page = \"four\", parts = [\"x\"] }").contains("no page four.md"));
        assert!(error("{ page = \"three\", parts = [\"x\"] }").contains("no page three.md"));
        let message = error("{ page = \"one\", parts = [\"the serve\"] }");
        assert!(message.contains("no part `the serve`"), "{message}");
        assert!(message.contains("the experiment, the server, exercise"), "{message}");
        assert!(error("{ page = \"one\", parts = [] }").contains("no part of it"));
        let twice = "{ page = \"two\", parts = [\"all of it\"] }, { page = \"two\", parts = [\"all of it\"] }";
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
        let read = |text: &str| Notes::of_page("one", text);
        let notes = read(&page("25: a 10, b c 15.")).unwrap().unwrap();
        assert_eq!(notes.parts, [("a".to_owned(), 10), ("b c".to_owned(), 15)]);
        assert_eq!(notes.minutes(), 25);
        let complaint = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert!(complaint(&page("30: a 10, b 15.")).contains("25 together, and not 30"));
        assert!(complaint(&page("10: a ten.")).contains("`a ten` does not end with its minutes"));
        assert!(complaint(&page("20: a 10, a 10.")).contains("two parts `a`"));
        assert!(complaint(&page("0: a 0.")).contains("no time"));
        assert!(complaint(&page("an hour")).contains("not written like this"));
        let lacking = page("10: a 10.").replace("**Leads on:**", "On:");
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
            "| [One thread](one.md) | 40 | the experiment 10, the server 15, exercise 15 |"
        ));
        assert!(table.ends_with("| **all of it** | **60** | 1 h 0 min |"), "{table}");
    }
}
