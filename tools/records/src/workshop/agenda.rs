//! The agendas: the parts of pages that a day in class has, with their minutes added up; and the exercises among them,
//! for `cargo xtask learn`.
//!
//! They are data, in `book/workshop.toml`:
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

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::workshop::notes::{BOOK, Notes, read_notes};

/// The file of the agendas, among the pages.
pub const AGENDAS: &str = "workshop.toml";

/// The length from which a break is for a meal, in minutes.
const LUNCH: u32 = 45;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agenda {
    /// Its name in `{{#agenda NAME}}`.
    name: String,
    /// The heading above it.
    title: String,
    /// The minutes that a day may have.
    promised: u32,
    day: Vec<Day>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Day {
    /// Its start: `09:00`.
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
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Agendas {
        agenda: Vec<Agenda>,
    }
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

/// Writes the table of an agenda. Fails when there is no such agenda, or it names an unknown page or part, a part twice, or
/// more minutes than it promises.
pub fn agenda(root: &Path, name: &str) -> Result<String> {
    let agendas = read_agendas(root)?;
    let table = table(named(&agendas, name)?, &read_notes(root)?);
    table.with_context(|| format!("{AGENDAS}, the agenda `{name}`"))
}

/// The exercises that an agenda holds, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The agenda's name in `book/workshop.toml`.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// The names of its exercises.
    pub exercises: Vec<String>,
}

impl Order {
    /// Finds the place of an exercise in it.
    pub fn place(&self, exercise: &str) -> Option<usize> {
        self.exercises.iter().position(|own| own == exercise)
    }
}

/// Lists the exercises of the agenda of this name. Fails when there is no such agenda, or no exercise in it, or something
/// in it is not there.
pub fn order(root: &Path, name: &str) -> Result<Order> {
    let agendas = read_agendas(root)?;
    let notes = read_notes(root)?;
    let agenda = named(&agendas, name)?;
    let exercises = exercises_of(agenda, &notes)?;
    if exercises.is_empty() {
        let mut others = Vec::new();
        for other in &agendas {
            if exercises_of(other, &notes).is_ok_and(|exercises| !exercises.is_empty()) {
                others.push(other.name.as_str());
            }
        }
        bail!("the agenda `{name}` has no exercise; these have: {}", others.join(", "));
    }
    Ok(Order { name: agenda.name.clone(), title: agenda.title.clone(), exercises })
}

fn exercises_of(agenda: &Agenda, notes: &[Notes]) -> Result<Vec<String>> {
    let mut exercises = Vec::new();
    for slot in agenda.day.iter().flat_map(|day| &day.slots) {
        let Slot::Page { page, parts } = slot else { continue };
        let own = notes_on(page, notes)?;
        for part in parts {
            exercises.extend(own.part(part)?.exercise().map(str::to_owned));
        }
    }
    Ok(exercises)
}

fn notes_on<'a>(page: &str, notes: &'a [Notes]) -> Result<&'a Notes> {
    let known = notes.iter().find(|notes| notes.page == page);
    known.with_context(|| format!("there is no page {page}.md that has notes for teachers"))
}

fn table(agenda: &Agenda, notes: &[Notes]) -> Result<String> {
    let mut text = String::new();
    let mut used = BTreeSet::new();
    for (index, day) in agenda.day.iter().enumerate() {
        if agenda.day.len() > 1 {
            let _ = writeln!(text, "**Day {}**\n", index + 1);
        }
        text += "| starts at | minutes | what | which parts |\n|---|---:|---|---|\n";
        let start = minute_of_day(&day.start)?;
        let mut now = start;
        let mut pauses = 0;
        for slot in &day.slots {
            let (minutes, what) = match slot {
                Slot::Pause { pause } => {
                    pauses += pause;
                    let name = if *pause < LUNCH { "*Break*" } else { "*Lunch*" };
                    (*pause, format!("{name} | "))
                }
                Slot::Say { say, minutes } => (*minutes, format!("{say} | ")),
                Slot::Page { page, parts } => {
                    let known = notes_on(page, notes)?;
                    let mut minutes = 0;
                    let mut named = Vec::new();
                    for part in parts {
                        let own = known.part(part)?;
                        let is_new = used.insert((page, &own.name));
                        ensure!(is_new, "{page}.md, `{part}`: it is held twice");
                        minutes += own.minutes;
                        named.push(own.linked(&format!("{page}.md")));
                    }
                    ensure!(minutes > 0, "{page}.md: no part of it is named");
                    (minutes, format!("[{}]({page}.md) | {}", known.title, named.join(", ")))
                }
            };
            ensure!(minutes > 0, "something takes no time");
            let _ = writeln!(text, "| {} | {minutes} | {what} |", time_of_day(now));
            now += minutes;
        }
        let Agenda { title, promised, .. } = agenda;
        let took = now - start;
        let end = time_of_day(now);
        ensure!(
            took <= *promised,
            "a day takes {took} minutes, and \"{title}\" promises at most {promised}"
        );
        ensure!(now <= 24 * 60, "a day continues after midnight");
        let class = took - pauses;
        let _ = writeln!(
            text,
            "| **{end}** | **{took}** | **The end** | {class} with the class, {pauses} of breaks |\n"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::{book, with_slots};

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

    /// The exercises of the agenda of this name, where one with these slots is the only one.
    fn order_of(name: &str, slots: &str) -> Result<Order> {
        order(book(&with_slots(slots)).path(), name)
    }

    #[test]
    fn an_agenda_has_its_exercises_in_its_order() {
        let slots = "{ page = \"one\", parts = [\"exercise hard\", \"the server\"] }, { pause = 5 }, \
                     { page = \"one\", parts = [\"exercise\"] }";
        let order = order_of("short", slots).unwrap();
        assert_eq!(order.exercises, ["hard", "easy"]);
        assert_eq!(order.title, "An hour");
        assert_eq!((order.place("easy"), order.place("another")), (Some(1), None));
        for (name, slots, complaint) in [
            ("short", "{ page = \"one\", parts = [\"the server\"] }", "`short` has no exercise"),
            ("long", "", "only: short"),
            ("short", "{ page = \"six\", parts = [] }", "no page six.md"),
        ] {
            let message = format!("{:#}", order_of(name, slots).unwrap_err());
            assert!(message.contains(complaint), "{message}");
        }
    }

    #[test]
    fn an_agenda_that_can_not_be_held_is_refused() {
        for (slots, complaint) in [
            ("{ page = \"four\", parts = [\"x\"] }", "no page four.md"),
            ("{ page = \"three\", parts = [\"x\"] }", "no page three.md"),
            (
                "{ page = \"one\", parts = [\"the serve\"] }",
                "no part `the serve`; its parts are: exercise easy, exercise hard, the experiment",
            ),
            ("{ page = \"two\", parts = [\"exercise\"] }", "no part `exercise`"),
            ("{ page = \"one\", parts = [] }", "no part of it"),
            (
                "{ page = \"one\", parts = [\"exercise\"] }, { page = \"one\", parts = [\"exercise easy\"] }",
                "twice",
            ),
            ("{ pause = 61 }", "a day takes 61 minutes"),
            ("{ pause = 5, page = \"one\" }", "malformed"),
        ] {
            let message = error(slots);
            assert!(message.contains(complaint), "{slots}: {message}");
        }
        let message = format!("{:#}", agenda(book(&with_slots("")).path(), "long").unwrap_err());
        assert!(message.contains("no agenda `long`, only: short"), "{message}");
        let late = with_slots("{ pause = 5 }").replace("09:30", "25:00");
        let message = format!("{:#}", agenda(book(&late).path(), "short").unwrap_err());
        assert!(message.contains("no time of the day"), "{message}");
    }
}
