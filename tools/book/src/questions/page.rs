//! Reads the questions of a page.

use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use regex::Regex;

use crate::{
    directive::Directive,
    fault::Fault,
    scan::{Found, directives},
};

/// A question to the reader.
pub(super) struct Question<'a> {
    /// Its directive, as the page has it.
    pub directive: &'a str,
    pub id: String,
    /// Its text, in Markdown.
    pub text: &'a str,
    /// Its answers in Markdown, each without its number; none for a number to estimate.
    pub answers: Vec<&'a str>,
    pub right: Right,
}

/// The right answer.
pub(super) enum Right {
    /// Its place in the list, counted from 1.
    Choice(usize),
    /// A number, the tolerance of an estimate as a part of it, and its unit.
    Number { value: f64, tolerance: f64, unit: String },
}

/// Questions that share one answer box.
pub(super) struct Group<'a> {
    /// The start of the first directive, in bytes.
    pub start: usize,
    /// The start of the line after `</details>`, in bytes.
    pub end: usize,
    pub questions: Vec<Question<'a>>,
    /// The whole `<details>`.
    pub answer: &'a str,
}

static ANSWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(\d+)\. +(.+)$").expect("a correct expression"));

/// Finds the directives in a text that stand for a question.
fn predictions(text: &str) -> impl Iterator<Item = Found<'_>> {
    directives(text).filter(|found| found.name == "predict")
}

/// Finds the next questions after this byte, up to the end of their answer. Fails with one that is malformed.
pub(super) fn next_group(text: &str, from: usize) -> Result<Option<Group<'_>>, Fault> {
    let found: Vec<Found> = predictions(text).filter(|found| found.start >= from).collect();
    let Some(first) = found.first() else { return Ok(None) };
    let start = first.start;
    let Some(before) = text[start..].find(BOX_START) else {
        return Err(fault(first, "no <details> with the answer follows"));
    };
    let box_start = start + before + 1;
    let Some(within) = text[box_start..].find(BOX_END) else {
        return Err(fault(first, "the <details> with the answer never ends"));
    };
    let box_end = box_start + within + BOX_END.len();
    let answer = &text[box_start..box_end];
    if answer.matches("<details>").count() > 1 {
        return Err(fault(first, "the answer can't hold a <details> of its own"));
    }
    let here = &found[..found.partition_point(|found| found.start < box_start)];
    let mut questions = Vec::new();
    for (index, one) in here.iter().enumerate() {
        let ends = here.get(index + 1).map_or(box_start, |next| next.start);
        let question = question(one, &text[one.end()..ends]);
        questions.push(question.map_err(|error| Fault { text: one.text.to_owned(), error })?);
    }
    Ok(Some(Group { start, end: box_end, questions, answer }))
}

/// The box of the answer: its first line, and its last.
const BOX_START: &str = "\n<details>\n";
const BOX_END: &str = "\n</details>\n";

fn fault(question: &Found, message: &str) -> Fault {
    let text = question.text.to_owned();
    Fault { error: anyhow!("{text}: {message}"), text }
}

fn question<'a>(found: &Found<'a>, text: &'a str) -> Result<Question<'a>> {
    let directive = Directive::of(found).with_context(|| found.text.to_owned())?;
    let Directive::Predict { name: id, answer, tolerance, unit } = directive else {
        bail!("it is no question");
    };
    ensure!(id.bytes().all(is_plain), "a question's name has small letters and hyphens");
    let question = read(found.text, id, &answer, tolerance.zip(unit), text);
    question.with_context(|| found.text.to_owned())
}

fn is_plain(letter: u8) -> bool {
    matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

fn read<'a>(
    directive: &'a str,
    id: String,
    right: &str,
    of_number: Option<(String, String)>,
    text: &'a str,
) -> Result<Question<'a>> {
    ensure!(text.starts_with("\n\n"), "an empty line must follow");
    let first = ANSWER.find(text).map_or(text.len(), |found| found.start());
    let (words, list) = text.split_at(first);
    ensure!(!words.trim().is_empty(), "no question follows");
    let mut answers = Vec::new();
    for (line, number) in list.trim_end().lines().zip(1..) {
        let found = ANSWER.captures(line).filter(|found| found[1] == number.to_string());
        let found = found.with_context(|| format!("answer {number} of the list is `{line}`"))?;
        answers.push(found.get(2).expect("it always matches").as_str());
    }
    let right = match of_number {
        None => Right::Choice(place(right, answers.len())?),
        Some((tolerance, unit)) => {
            ensure!(answers.is_empty(), "a number has no list of answers");
            number(right, &tolerance, unit)?
        }
    };
    Ok(Question { directive, id, text: words.trim(), answers, right })
}

/// Reads the place of the right answer among so many.
fn place(written: &str, count: usize) -> Result<usize> {
    ensure!(count > 1, "a choice needs a list of answers, and a number its tolerance and its unit");
    let place = written.parse().ok().filter(|place| (1..=count).contains(place));
    place.with_context(|| format!("there is no answer {written} among {count}"))
}

/// Reads a number, such as `80 5% "requests per second"`.
fn number(value: &str, tolerance: &str, unit: String) -> Result<Right> {
    let value: f64 = value.parse().with_context(|| format!("`{value}` is no number"))?;
    ensure!(value > 0.0, "the number must be above 0");
    let percent = tolerance.strip_suffix('%').and_then(|digits| digits.parse::<f64>().ok());
    let percent = percent.filter(|percent| *percent > 0.0 && *percent < 50.0);
    let percent = percent.with_context(|| {
        format!("a number's tolerance is above 0% and below 50%, not `{tolerance}`")
    })?;
    Ok(Right::Number { value, tolerance: percent / 100.0, unit })
}
