//! The lessons: what a teacher shows, types and asks and what the class does, minute by minute.
//!
//! They are data, in `book/lessons.toml`, which explains its own form. From it come the tables of the page "Running the
//! workshop", what the page that is shown to a class knows, the order in which `cargo xtask learn` gives the exercises,
//! and what a learner's machine needs.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    base::programs::program,
    workshop::{
        exercises::{Exercise, exercises},
        page::html,
    },
};

/// The file of the lessons, from the repository's root.
pub const LESSONS: &str = "book/lessons.toml";

/// The time after each exercise in which the class looks at solutions, in minutes.
const TOGETHER: u32 = 10;

/// The length from which a break is for a meal, in minutes.
const LUNCH: u32 = 45;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    lesson: Vec<PlannedLesson>,
    #[serde(default)]
    part: Vec<Taught>,
    #[serde(default)]
    prediction: Vec<Taught>,
    #[serde(default)]
    exercise: Vec<Practised>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedLesson {
    name: String,
    title: String,
    /// The length of each of its days, in minutes.
    minutes: u32,
    day: Vec<PlannedDay>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedDay {
    start: String,
    parts: Vec<Slot>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Slot {
    /// A part, a prediction or an exercise, by its name.
    Named(String),
    Pause {
        pause: u32,
    },
    Slack {
        slack: u32,
    },
}

/// A part or a prediction as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taught {
    name: String,
    title: String,
    minutes: u32,
    wall: Option<String>,
    through: Option<String>,
    #[serde(default, rename = "type")]
    typed: Vec<String>,
    #[serde(default)]
    ask: String,
    #[serde(default)]
    answers: String,
    #[serde(default)]
    class: String,
    #[serde(default)]
    needs: Vec<String>,
}

/// An exercise as it is written: all else is in the list of exercises.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Practised {
    name: String,
    needs: Vec<String>,
}

/// A lesson. The build writes all of them for the page that is shown to a class, into `teach/lessons.js` of the built
/// book, as HTML where it says so below:
///
/// ```js
/// globalThis.LESSONS = [{
///     name: "half-day",
///     title: "Half a day",
///     days: [{
///         start: "09:00",
///         parts: [{
///             name: "one-line",            // unique in a lesson, but for pauses and slack
///             title: "The one line",       // plain text
///             minutes: 10,
///             starts: "09:45",
///             kind: "part",                // or "prediction", "exercise", "together", "pause", "slack"
///             page: "ch02-thread-spawn",   // null where nothing is on the wall
///             id: "the-change",            // of an element of that page; null where page is
///             through: "send-and-sync",    // of the part's last section on that page; null: up to its next heading
///             exercise: null,              // the exercise's name for "exercise" and "together"
///             lines: {
///                 type: ["<code>$ curl …</code>"],  // a list of HTML
///                 ask: "HTML",             // these three are "" where there is none
///                 answers: "HTML",
///                 class: "HTML",
///             },
///         }],
///     }],
/// }];
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// Its name in `{{#lesson NAME}}` and in `?teach&lesson=NAME`.
    pub name: String,
    /// The heading above it.
    pub title: String,
    /// The length of each of its days, in minutes.
    #[serde(skip)]
    pub minutes: u32,
    /// Its days.
    pub days: Vec<Day>,
}

/// A day of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Day {
    /// Its start: `09:00`.
    pub start: String,
    /// What happens, in order.
    pub parts: Vec<Part>,
}

/// Something that takes time in a lesson. Its words are Markdown, of which only code is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its length, in minutes.
    pub minutes: u32,
    /// Its start: `09:00`.
    pub starts: String,
    /// What it is.
    pub kind: Kind,
    /// The page that is on the wall, without its ending.
    pub page: Option<String>,
    /// The place on that page.
    pub id: Option<String>,
    /// The last section of that page that belongs to it; without one it ends before the next heading of its level, and a
    /// prediction with its own section.
    pub through: Option<String>,
    /// The exercise.
    pub exercise: Option<String>,
    /// What the teacher types and asks, and what the class does.
    pub lines: Lines,
    /// The names of the parts that must have come before.
    #[serde(skip)]
    pub needs: Vec<String>,
}

/// The kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The teacher shows something.
    Part,
    /// The class votes, and then sees the answer.
    Prediction,
    /// The class does an exercise.
    Exercise,
    /// The class looks at solutions of the exercise before.
    Together,
    /// Everybody rests.
    Pause,
    /// Nothing is planned.
    Slack,
}

/// What the teacher types and asks, and what the class does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// A command, as a shell gets it, after `$ `; or what else is done at the keyboard.
    #[serde(rename = "type")]
    pub typed: Vec<String>,
    /// The question.
    pub ask: String,
    /// The answer, and what to say to answers that come.
    pub answers: String,
    /// What the class does.
    pub class: String,
}

impl Part {
    /// Makes one that has no page and no words.
    fn silent(kind: Kind, name: &str, title: &str, minutes: u32) -> Part {
        Part {
            name: name.to_owned(),
            title: title.to_owned(),
            minutes,
            starts: String::new(),
            kind,
            page: None,
            id: None,
            through: None,
            exercise: None,
            lines: Lines::default(),
            needs: Vec::new(),
        }
    }

    fn pause(minutes: u32) -> Part {
        let title = if minutes < LUNCH { "Break" } else { "Lunch" };
        Part::silent(Kind::Pause, "pause", title, minutes)
    }

    fn slack(minutes: u32) -> Part {
        let title = "Slack: questions, and what took longer";
        Part::silent(Kind::Slack, "slack", title, minutes)
    }

    fn taught(kind: Kind, written: &Taught) -> Result<Part> {
        let mut part = Part::silent(kind, &written.name, &written.title, written.minutes);
        if let Some(wall) = &written.wall {
            let (page, id) = place(wall)?;
            part.page = Some(page.to_owned());
            part.id = Some(id.to_owned());
        }
        if let Some(through) = &written.through {
            ensure!(kind == Kind::Part, "a prediction has its own section, and no `through`");
            ensure!(part.page.is_some(), "`through = \"{through}\"` needs a `wall`");
            part.through = Some(through.clone());
        }
        part.lines = Lines {
            typed: written.typed.clone(),
            ask: written.ask.clone(),
            answers: written.answers.clone(),
            class: written.class.clone(),
        };
        part.needs = written.needs.clone();
        Ok(part)
    }

    /// Makes an exercise, and the time after it.
    fn practised(written: &Practised, exercise: &Exercise) -> [Part; 2] {
        let Exercise { name, title, minutes, .. } = exercise;
        let own = Part {
            page: Some(exercise.chapter.clone()),
            id: Some(id_of(title)),
            exercise: Some(name.clone()),
            needs: written.needs.clone(),
            lines: Lines {
                class: format!(
                    "In pairs: `cargo xtask learn start {name}`, then `cargo xtask learn watch`."
                ),
                ..Lines::default()
            },
            ..Part::silent(Kind::Exercise, name, title, *minutes)
        };
        let together = Part {
            kind: Kind::Together,
            name: format!("{name}-together"),
            title: format!("Solutions of \"{title}\""),
            minutes: TOGETHER,
            needs: Vec::new(),
            lines: Lines {
                typed: vec![format!("$ cargo xtask learn solution {name} --teacher")],
                ask: "Which check catches this one?".to_owned(),
                class: "Looks at a pair's solution and at ours, then at each wrong version, and says which check fails."
                    .to_owned(),
                ..Lines::default()
            },
            ..own.clone()
        };
        [own, together]
    }

    /// Returns the address of what is on the wall.
    pub fn wall(&self) -> Option<String> {
        Some(format!("{}.html#{}", self.page.as_ref()?, self.id.as_ref()?))
    }

    /// Lists the commands that the teacher types.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.lines.typed.iter().filter_map(|line| line.strip_prefix(PROMPT))
    }

    /// Makes it for a script: titles as plain text, words as HTML.
    fn for_script(&self) -> Part {
        let Lines { typed, ask, answers, class } = &self.lines;
        Part {
            title: self.title.replace('`', ""),
            lines: Lines {
                typed: typed.iter().map(|line| html(&marked(line))).collect(),
                ask: html(ask),
                answers: html(answers),
                class: html(class),
            },
            ..self.clone()
        }
    }

    /// Writes its row of a table, which leads to it.
    ///
    /// `day` counts the days of the lesson from 1, and `index` the parts of the day from 0: a place of a page may be that of
    /// several parts.
    fn row(&self, lesson: &str, day: usize, index: usize) -> String {
        let Part { starts, minutes, kind, page, id, .. } = self;
        let title = in_cell(&self.title);
        let title = match (page, id, kind) {
            (_, _, Kind::Pause | Kind::Slack) => format!("*{title}*"),
            (Some(page), Some(id), _) => format!(
                "[{title}]({page}.html?teach&lesson={lesson}&day={day}&part={index}&at=first#{id})"
            ),
            _ => title,
        };
        let row = format!("| {starts} | {minutes} | {title} | {} |", self.lines.cell());
        row + "\n"
    }
}

/// What stands before a command.
const PROMPT: &str = "$ ";

impl Lines {
    /// Writes them as a cell of a table.
    fn cell(&self) -> String {
        let mut cell = Vec::new();
        let typed: Vec<String> = self.typed.iter().map(|line| marked(line)).collect();
        for (name, text) in [
            ("Do", typed.join("<br>")),
            ("Ask", self.ask.clone()),
            ("Answers", self.answers.clone()),
            ("The class", self.class.clone()),
        ] {
            if !text.is_empty() {
                cell.push(format!("**{name}:** {}", in_cell(&text)));
            }
        }
        cell.join("<br>")
    }
}

/// Keeps a text in its cell of a table.
fn in_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Marks a command as code.
fn marked(line: &str) -> String {
    if line.starts_with(PROMPT) { format!("`{line}`") } else { line.to_owned() }
}

/// Splits the address of a place in a page, `page.html#id`.
fn place(address: &str) -> Result<(&str, &str)> {
    let place =
        address.split_once(".html#").filter(|(page, id)| !page.is_empty() && !id.is_empty());
    place
        .with_context(|| format!("`{address}` is no place of a page, such as recap.html#the-ideas"))
}

/// Returns the `id` that mdBook gives this heading.
fn id_of(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || "_-".contains(letter) => {
            Some(letter.to_ascii_lowercase())
        }
        _ => None,
    });
    letters.collect()
}

/// Reads the lessons.
///
/// # Errors
/// When the file can't be read or is malformed; and with all that is wrong in it: a lesson whose name is no word of an
/// address, a name that nothing has, a part before what it needs, minutes that don't add up to what the lesson promises, too
/// little slack.
pub fn lessons(root: &Path) -> Result<Vec<Lesson>> {
    let text =
        fs::read_to_string(root.join(LESSONS)).with_context(|| format!("cannot read {LESSONS}"))?;
    let file: File = toml::from_str(&text).with_context(|| format!("{LESSONS} is malformed"))?;
    let mut faults = Vec::new();
    let known = Known::of(&file, &exercises(root)?, &mut faults);
    let mut lessons = Vec::new();
    for planned in &file.lesson {
        let lesson = lesson(planned, &known, &mut faults);
        if lessons.iter().any(|earlier: &Lesson| earlier.name == lesson.name) {
            faults.push(format!("{LESSONS} has the lesson `{}` twice", lesson.name));
        }
        lessons.push(lesson);
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    for name in known.names() {
        ensure!(has(&lessons, name), "{LESSONS}: no lesson has `{name}`");
    }
    Ok(lessons)
}

fn has(lessons: &[Lesson], name: &str) -> bool {
    lessons.iter().flat_map(Lesson::parts).any(|part| part.name == name)
}

/// All that a lesson can name. What follows an exercise is in one place with it.
struct Known(Vec<Vec<Part>>);

impl Known {
    fn of(file: &File, list: &[Exercise], faults: &mut Vec<String>) -> Known {
        let mut known = Known(Vec::new());
        for (kind, all) in [(Kind::Part, &file.part), (Kind::Prediction, &file.prediction)] {
            for written in all {
                let part = Part::taught(kind, written).map(|part| vec![part]);
                faults.extend(known.add(&written.name, part));
            }
        }
        for written in &file.exercise {
            let exercise = list.iter().find(|exercise| exercise.name == written.name);
            let exercise = exercise.context("exercises/exercises.toml has no such exercise");
            let parts = exercise.map(|exercise| Part::practised(written, exercise).to_vec());
            faults.extend(known.add(&written.name, parts));
        }
        known
    }

    /// Adds what a lesson can name so; returns what is wrong with it.
    fn add(&mut self, name: &str, parts: Result<Vec<Part>>) -> Option<String> {
        let is_new = self.names().all(|known| known != name);
        match parts {
            Ok(parts) if is_new => self.0.push(parts),
            Ok(_) => return Some(format!("{LESSONS} has `{name}` twice")),
            Err(error) => return Some(format!("{LESSONS}, `{name}`: {error:#}")),
        }
        None
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|parts| parts[0].name.as_str())
    }

    /// Finds what this slot of a day holds.
    fn parts(&self, slot: &Slot) -> Result<Vec<Part>> {
        match slot {
            Slot::Pause { pause } => Ok(vec![Part::pause(*pause)]),
            Slot::Slack { slack } => Ok(vec![Part::slack(*slack)]),
            Slot::Named(name) => {
                let parts = self.0.iter().find(|parts| parts[0].name == *name);
                parts.cloned().with_context(|| format!("there is no part `{name}`"))
            }
        }
    }
}

/// Puts a lesson together.
fn lesson(planned: &PlannedLesson, known: &Known, faults: &mut Vec<String>) -> Lesson {
    let PlannedLesson { name, title, minutes, day: days } = planned;
    let mut lesson =
        Lesson { name: name.clone(), title: title.clone(), minutes: *minutes, days: Vec::new() };
    for planned in days {
        match day(planned, known) {
            Ok(day) => lesson.days.push(day),
            Err(error) => faults.push(format!("{LESSONS}, the lesson `{name}`: {error:#}")),
        }
    }
    if days.is_empty() {
        faults.push(format!("{LESSONS}, the lesson `{name}` has no day"));
    }
    faults.extend(
        lesson.faults().iter().map(|fault| format!("{LESSONS}, the lesson `{name}`: {fault}")),
    );
    lesson
}

fn day(planned: &PlannedDay, known: &Known) -> Result<Day> {
    let mut now = minute_of_day(&planned.start)?;
    let mut parts = Vec::new();
    for slot in &planned.parts {
        for part in known.parts(slot)? {
            let starts = time_of_day(now);
            now = now.saturating_add(part.minutes);
            parts.push(Part { starts, ..part });
        }
    }
    ensure!(now <= 24 * 60, "a day continues after midnight");
    Ok(Day { start: planned.start.clone(), parts })
}

impl Lesson {
    /// Lists its parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.days.iter().flat_map(|day| &day.parts)
    }

    /// Lists what keeps it from being held as it is written.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(format!("a name has a-z, 0-9 and - only, and is not `{NO_LESSON}`"));
        }
        let mut before: BTreeSet<&str> = BTreeSet::new();
        for part in self.parts() {
            let Part { name, needs, minutes, .. } = part;
            if *minutes == 0 {
                faults.push(format!("`{name}` takes no time"));
            }
            for need in needs.iter().filter(|need| !before.contains(need.as_str())) {
                faults.push(format!("`{name}` needs `{need}`, which isn't before it"));
            }
            let is_new = before.insert(name);
            if !is_new && !matches!(part.kind, Kind::Pause | Kind::Slack) {
                faults.push(format!("`{name}` is held twice"));
            }
        }
        for day in &self.days {
            faults.extend(day.faults(self.minutes));
        }
        faults
    }

    /// Writes its table.
    fn table(&self) -> String {
        let mut text = String::from("<div class=\"cards lesson\">\n\n");
        for (index, day) in self.days.iter().enumerate() {
            if self.days.len() > 1 {
                let _ = writeln!(text, "**Day {}**\n", index + 1);
            }
            text += "| at | min | part | what happens |\n|---|---:|---|---|\n";
            for (place, part) in day.parts.iter().enumerate() {
                text += &part.row(&self.name, index + 1, place);
            }
            let pauses = day.minutes_of(Kind::Pause);
            let slack = day.minutes_of(Kind::Slack);
            let mut sum = format!("{slack} minutes of slack");
            if pauses > 0 {
                let _ = write!(sum, ", {pauses} of breaks");
            }
            let end = time_of_day(day.end());
            let all = self.minutes;
            let _ = writeln!(text, "| **{end}** | **{all}** | **The end** | {sum} |\n");
        }
        text + "</div>"
    }
}

impl Day {
    fn minutes_of(&self, kind: Kind) -> u32 {
        self.parts.iter().filter(|part| part.kind == kind).map(|part| part.minutes).sum()
    }

    /// Returns the minutes of all that happens.
    fn minutes(&self) -> u32 {
        self.parts.iter().map(|part| part.minutes).sum()
    }

    /// Returns the minute of the day in which it ends.
    fn end(&self) -> u32 {
        minute_of_day(&self.start).unwrap_or_default() + self.minutes()
    }

    /// Lists what is wrong with its minutes, of which the lesson promises so many.
    fn faults(&self, promised: u32) -> Vec<String> {
        let mut faults = Vec::new();
        let minutes = self.minutes();
        if minutes != promised {
            faults.push(format!("a day takes {minutes} minutes and not {promised}"));
        }
        let slack = self.minutes_of(Kind::Slack);
        if slack * 10 < promised {
            faults.push(format!("{slack} minutes of slack in {promised} are less than a tenth"));
        }
        faults
    }
}

/// The word with which a learner leaves a lesson.
const NO_LESSON: &str = "none";

/// Tells whether this can be the name of a lesson, which stands in addresses and is typed.
fn is_name(name: &str) -> bool {
    let has_letters = name.bytes().all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    has_letters && !name.is_empty() && name != NO_LESSON
}

/// Finds the lesson of this name.
fn named(root: &Path, name: &str) -> Result<Lesson> {
    let all = lessons(root)?;
    let names: Vec<&str> = all.iter().map(|lesson| lesson.name.as_str()).collect();
    let names = names.join(", ");
    let found = all.into_iter().find(|lesson| lesson.name == name);
    found.with_context(|| format!("{LESSONS} has no lesson `{name}`, only: {names}"))
}

/// Writes the table of a lesson. Fails when there is no such lesson, or something is wrong in the file.
pub fn table(root: &Path, name: &str) -> Result<String> {
    Ok(named(root, name)?.table())
}

/// Writes all lessons as a script. Fails when something is wrong in their file.
pub fn script(root: &Path) -> Result<String> {
    let mut all = lessons(root)?;
    for part in all.iter_mut().flat_map(|lesson| &mut lesson.days).flat_map(|day| &mut day.parts) {
        *part = part.for_script();
    }
    Ok(format!("globalThis.LESSONS = {};\n", serde_json::to_string_pretty(&all)?))
}

/// The exercises that a lesson holds, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The lesson's name in `book/lessons.toml`.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// The names of its exercises.
    pub exercises: Vec<String>,
}

impl Order {
    fn of(lesson: &Lesson) -> Order {
        let own = lesson.parts().filter(|part| part.kind == Kind::Exercise);
        Order {
            name: lesson.name.clone(),
            title: lesson.title.clone(),
            exercises: own.map(|part| part.name.clone()).collect(),
        }
    }

    /// Finds the place of an exercise in it.
    pub fn place(&self, exercise: &str) -> Option<usize> {
        self.exercises.iter().position(|own| own == exercise)
    }
}

/// Lists the exercises of the lesson of this name. Fails when there is no such lesson, or no exercise in it, or something
/// is wrong in the file.
pub fn order(root: &Path, name: &str) -> Result<Order> {
    let order = Order::of(&named(root, name)?);
    if order.exercises.is_empty() {
        let all = lessons(root)?;
        let others = all.iter().filter(|lesson| !Order::of(lesson).exercises.is_empty());
        let others: Vec<&str> = others.map(|lesson| lesson.name.as_str()).collect();
        bail!("the lesson `{name}` has no exercise; these have: {}", others.join(", "));
    }
    Ok(order)
}

/// What a learner's machine needs for a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The examples of cargo that are run, in the order in which they come.
    pub examples: Vec<String>,
    /// The names of the exercises, in order.
    pub exercises: Vec<String>,
    /// The programs besides cargo, by their names in the list of other people's programs.
    pub tools: Vec<String>,
}

/// Lists what the lesson of this name needs, by the commands that are typed in it and by its exercises. Fails when there
/// is no such lesson, or something is wrong in the file.
pub fn needs_of(root: &Path, name: &str) -> Result<Needs> {
    let lesson = named(root, name)?;
    let mut needs = Needs { exercises: Order::of(&lesson).exercises, ..Needs::default() };
    for command in lesson.parts().flat_map(Part::commands) {
        let words =
            shlex::split(command).with_context(|| format!("a quote never ends: {command}"))?;
        let words = words.iter().map(String::as_str).skip_while(|word| is_variable(word));
        let words: Vec<&str> = words.collect();
        match words[..] {
            ["cargo", "run" | "build", ..] => {
                let flag = words.iter().position(|word| *word == "--example");
                let example = flag.and_then(|flag| words.get(flag + 1));
                add(&mut needs.examples, example.copied());
            }
            ["cargo", name, ..] | [name, ..] => {
                add(&mut needs.tools, program(name).map(|known| known.name));
            }
            [] => {}
        }
    }
    Ok(needs)
}

/// Tells whether a word sets a variable for the command behind it.
fn is_variable(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_uppercase() || letter == b'_')
}

/// Adds a name, if there is one, unless it is there.
fn add(names: &mut Vec<String>, name: Option<&str>) {
    if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
        names.push(name.to_owned());
    }
}

fn minute_of_day(text: &str) -> Result<u32> {
    let parts = text.split_once(':').and_then(|(hours, minutes)| {
        let hours: u32 = hours.parse().ok()?;
        let minutes: u32 = minutes.parse().ok()?;
        (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
    });
    parts.with_context(|| format!("`{text}` is no time of the day, such as 09:00"))
}

fn time_of_day(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::workshop::testing::{LESSON, repository, with_lessons};

    fn error(text: &str) -> String {
        format!("{:#}", lessons(with_lessons(text).path()).unwrap_err())
    }

    /// A repository with a lesson of half an hour.
    fn good() -> TempDir {
        with_lessons(LESSON)
    }

    #[test]
    fn a_table_has_each_part_at_its_time_and_leads_into_the_lesson() {
        let folder = good();
        assert_eq!(
            table(folder.path(), "short").unwrap(),
            "<div class=\"cards lesson\">\n\n\
             | at | min | part | what happens |\n|---|---:|---|---|\n\
             | 09:30 | 5 | Welcome | **The class:** Sits down. |\n\
             | 09:35 | 3 | [The vote](one.html?teach&lesson=short&day=1&part=1&at=first#predict__one__first) | **Ask:** Who waits? |\n\
             | 09:38 | 7 | [The `spawn`](one.html?teach&lesson=short&day=1&part=2&at=first#the-change) | **Do:** `$ cargo run --example small`<br>\
             `move \\|\\|` in front<br>`$ curl -s http://127.0.0.1:8080/` |\n\
             | 09:45 | 10 | [One idea](ch01-single-threaded.html?teach&lesson=short&day=1&part=3&at=first#one-idea) | **The class:** In pairs: \
             `cargo xtask learn start one_idea`, then `cargo xtask learn watch`. |\n\
             | 09:55 | 10 | [Solutions of \"One idea\"](ch01-single-threaded.html?teach&lesson=short&day=1&part=4&at=first#one-idea) | **Do:** \
             `$ cargo xtask learn solution one_idea --teacher`<br>**Ask:** Which check catches this one?<br>**The class:** \
             Looks at a pair's solution and at ours, then at each wrong version, and says which check fails. |\n\
             | 10:05 | 5 | *Break* |  |\n\
             | 10:10 | 5 | *Slack: questions, and what took longer* |  |\n\
             | **10:15** | **45** | **The end** | 5 minutes of slack, 5 of breaks |\n\n</div>"
        );
        let message = format!("{:#}", table(folder.path(), "long").unwrap_err());
        assert!(message.contains("no lesson `long`, only: short"), "{message}");
    }

    #[test]
    fn the_script_has_the_words_as_html() {
        let folder = good();
        let script = script(folder.path()).unwrap();
        let json = script.strip_prefix("globalThis.LESSONS = ").unwrap().trim_end_matches(";\n");
        let all: serde_json::Value = serde_json::from_str(json).unwrap();
        let parts = all[0]["days"][0]["parts"].as_array().unwrap();
        let kinds: Vec<&str> = parts.iter().map(|part| part["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["part", "prediction", "part", "exercise", "together", "pause", "slack"]);
        assert_eq!(
            parts[2],
            serde_json::json!({
                "name": "spawn", "title": "The spawn", "minutes": 7, "starts": "09:38", "kind": "part",
                "page": "one", "id": "the-change", "through": "and-more", "exercise": null,
                "lines": {
                    "type": ["<code>$ cargo run --example small</code>", "<code>move ||</code> in front",
                             "<code>$ curl -s http://127.0.0.1:8080/</code>"],
                    "ask": "", "answers": "", "class": "",
                },
            })
        );
        assert_eq!(
            (&parts[0]["page"], &parts[0]["id"]),
            (&serde_json::Value::Null, &serde_json::Value::Null)
        );
        assert_eq!(parts[1]["through"], serde_json::Value::Null);
        assert_eq!(parts[4]["exercise"], "one_idea");
    }

    #[test]
    fn a_lesson_says_what_it_needs_and_in_which_order_its_exercises_come() {
        let folder = good();
        let needs = needs_of(folder.path(), "short").unwrap();
        assert_eq!(
            needs,
            Needs {
                examples: vec!["small".to_owned()],
                exercises: vec!["one_idea".to_owned()],
                tools: vec!["curl".to_owned()],
            }
        );
        let order = order(folder.path(), "short").unwrap();
        assert_eq!((order.place("one_idea"), order.place("two_ideas")), (Some(0), None));
        let none = with_lessons(
            &LESSON
                .replace("\"one_idea\", ", "{ slack = 20 }, ")
                .replace("[[exercise]]\nname = \"one_idea\"\nneeds = [\"spawn\"]\n", ""),
        );
        let message = format!("{:#}", super::order(none.path(), "short").unwrap_err());
        assert!(message.contains("`short` has no exercise"), "{message}");
        assert!(lessons(repository().path()).is_err());
    }

    #[test]
    fn a_lesson_that_can_not_be_held_is_refused() {
        for (good, bad, complaint) in [
            ("minutes = 45", "minutes = 50", "a day takes 45 minutes and not 50"),
            ("minutes = 7", "minutes = 0", "`spawn` takes no time"),
            (
                "{ slack = 5 }",
                "{ slack = 4 }, { pause = 1 }",
                "4 minutes of slack in 45 are less than a tenth",
            ),
            (
                "\"vote\", \"spawn\"",
                "\"spawn\", \"vote\"",
                "`spawn` needs `vote`, which isn't before it",
            ),
            ("\"spawn\", \"one_idea\"", "\"one_idea\", \"spawn\"", "`one_idea` needs `spawn`"),
            ("\"welcome\", \"vote\"", "\"vote\", \"vote\"", "`vote` is held twice"),
            ("\"welcome\", ", "", "a day takes 40 minutes"),
            ("\"welcome\", ", "\"wellcome\", ", "there is no part `wellcome`"),
            ("{ pause = 5 }", "{ pause = 5, slack = 5 }", "malformed"),
            ("class = \"Sits", "klass = \"Sits", "malformed"),
            (
                "one.html#the-change",
                "one.md#the-change",
                "`one.md#the-change` is no place of a page",
            ),
            (
                "wall = \"one.html#the-change\"\n",
                "",
                "`spawn`: `through = \"and-more\"` needs a `wall`",
            ),
            (
                "ask = \"Who waits?\"",
                "through = \"and-more\"",
                "`vote`: a prediction has its own section, and no `through`",
            ),
            ("name = \"one_idea\"", "name = \"three_ideas\"", "no such exercise"),
            ("name = \"spawn\"", "name = \"vote\"", "has `vote` twice"),
            ("\"short\"", "\"Short\"", "a name has a-z, 0-9 and - only"),
            ("\"short\"", "\"none\"", "and is not `none`"),
            ("\"short\"", "\"\"", "a name has a-z, 0-9 and - only"),
            ("{ slack = 5 }", "{ slack = 4294967295 }", "after midnight"),
            (
                "[[lesson]]",
                "[[lesson]]\nname = \"empty\"\ntitle = \"E\"\nminutes = 0\nday = []\n[[lesson]]",
                "the lesson `empty` has no day",
            ),
            (
                "[[lesson]]",
                "[[lesson]]\nname = \"short\"\ntitle = \"S\"\nminutes = 0\nday = []\n[[lesson]]",
                "has the lesson `short` twice",
            ),
            ("09:30", "25:00", "no time of the day"),
            ("09:30", "23:30", "after midnight"),
            (
                "[[exercise]]",
                "[[part]]\nname = \"more\"\ntitle = \"M\"\nminutes = 1\n[[exercise]]",
                "no lesson has `more`",
            ),
        ] {
            assert!(LESSON.contains(good), "{good}");
            let message = error(&LESSON.replacen(good, bad, 1));
            assert!(message.contains(complaint), "{bad}: {message}");
        }
    }
}
