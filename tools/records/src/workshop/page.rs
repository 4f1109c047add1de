//! The exercises as the Markdown of the book's pages.

use std::{fmt::Write, path::Path};

use anyhow::{Result, bail, ensure};

use crate::{
    base::fenced,
    workshop::exercises::{Exercise, Kind, exercises},
};

/// The section "Your turn" of the chapter whose name begins with `chapter`, without its heading, and with the directive
/// `diff` where the change stands that a solution makes. Fails when the chapter
/// has no exercise, or a file of one can't be read.
pub fn of_chapter(root: &Path, chapter: &str) -> Result<String> {
    let list = exercises(root)?;
    let own: Vec<&Exercise> = list.iter().filter(|it| is_in_chapter(it, chapter)).collect();
    ensure!(!own.is_empty(), "exercises/exercises.toml has no exercise for {chapter}");
    let gaps: Vec<String> = own.iter().flat_map(|exercise| exercise.gaps(root)).collect();
    ensure!(gaps.is_empty(), "{}", gaps.join("\n"));
    let count = match own.len() {
        1 => "One exercise".to_owned(),
        count @ 2..=9 => format!("{} exercises, each", COUNTS[count - 2]),
        count => format!("{count} exercises, each"),
    };
    let mut text = format!(
        "{count} with a check that prints what it saw and what it expected. [How to begin](exercises.md).\n"
    );
    for exercise in own {
        text += "\n";
        text += &one_exercise(root, exercise)?;
    }
    Ok(text.trim_end().to_owned())
}

/// Tells whether the name of the exercise's chapter begins with this.
fn is_in_chapter(exercise: &Exercise, chapter: &str) -> bool {
    let rest = exercise.chapter.strip_prefix(chapter);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The numbers from two on.
const COUNTS: [&str; 8] = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/// Writes one exercise: its idea, its command, and in one fold its task, and below that its hints and its solution.
fn one_exercise(root: &Path, exercise: &Exercise) -> Result<String> {
    let Exercise { name, title, minutes, idea, kind, .. } = exercise;
    let (task, sections) = exercise.task(root)?;
    let mut text =
        format!("### {title}\n\n{idea} *{}, {minutes} minutes.*\n\n", capital(kind.word()));
    text += &fenced("console", &format!("$ cargo xtask learn start {name}"));
    let mut body = task;
    for (heading, section) in sections.iter().filter(|(heading, _)| heading != FURTHER) {
        let _ = write!(body, "\n\n**{heading}.**\n\n{section}");
    }
    let mut hints = String::new();
    for (index, (title, hint)) in exercise.hints(root)?.iter().enumerate() {
        hints += &folded(&format!("Hint {}: {title}", index + 1), hint);
    }
    body += &folded(&format!("Hints, step by step: {title}"), hints.trim());
    let (_code, why) = exercise.solution(root)?;
    let mut solution = format!(
        "{{{{#diff exercises/{name}/start.rs exercises/{name}/solution.rs}}}}\n\n{}",
        why.trim()
    );
    for (heading, section) in sections.iter().filter(|(heading, _)| heading == FURTHER) {
        let _ = write!(solution, "\n\n**{heading}.**\n\n{section}");
    }
    body += &folded(&format!("A solution, and why: {title}"), &solution);
    text += &folded(&format!("The task: {title}"), &body);
    Ok(text)
}

/// The heading of what a learner may do after the exercise; it would give the solution away before.
const FURTHER: &str = "Going further";

fn folded(summary: &str, body: &str) -> String {
    format!(
        "\n\n<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n",
        html(summary),
        body.trim()
    )
}

/// Writes a line as HTML, inside of which Markdown's backticks mean nothing.
pub(super) fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => html += part,
            _ => html += &format!("<code>{part}</code>"),
        }
    }
    html
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns the number of a chapter, `3` of `ch03-threadpool`; the words of one that has none.
fn rung(chapter: &str) -> String {
    let number = chapter.strip_prefix("ch").and_then(|rest| rest.get(..2));
    match number.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(digits) => digits.trim_start_matches('0').to_owned(),
        None => chapter.replace('-', " "),
    }
}

/// Writes the table of all exercises. Fails when the list can't be read.
pub fn table(root: &Path) -> Result<String> {
    let list = exercises(root)?;
    // On a phone each row is a card (book/theme/ladder.css).
    let mut text = String::from(
        "<div class=\"cards\">\n\n| exercise | rung | kind | minutes |\n|---|---|---|---|\n",
    );
    for Exercise { name, chapter, title, minutes, kind, idea } in &list {
        let rung = rung(chapter);
        let kind = kind.word();
        let _ = writeln!(
            text,
            "| **{title}** `{name}`<br>{idea} | [{rung}]({chapter}.md#your-turn) | {kind} | {minutes} |"
        );
    }
    text += "\n</div>";
    Ok(text)
}

/// The numbers that [`number_of`] counts.
pub const NUMBERS: [&str; 3] = ["count", "diagnose", "minutes"];

/// Counts the exercises, or the minutes that they take. Fails when the list can't be read, or `what` is neither
/// `count`, `diagnose` nor `minutes`.
pub fn number_of(root: &Path, what: &str) -> Result<usize> {
    let list = exercises(root)?;
    Ok(match what {
        "count" => list.len(),
        "diagnose" => list.iter().filter(|it| it.kind == Kind::Diagnose).count(),
        "minutes" => list.iter().map(|it| it.minutes as usize).sum(),
        _ => bail!("of the exercises there is `count`, `diagnose` and `minutes`, and no `{what}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::testing::repository;

    #[test]
    fn a_chapter_shows_its_exercises_with_everything_folded() {
        let folder = repository();
        let text = of_chapter(folder.path(), "ch01").unwrap();
        for part in [
            "Two exercises, each with a check",
            "### One idea\n\nWhat it is about. *Write, 10 minutes.*",
            // One fold for each, and in it those that give something away.
            "<summary>The task: One idea</summary>\n\nDo it.\n\n<details>\n<summary>Hints, step by step: One idea</summary>",
            "- More.\n\n</details>\n\n</details>\n\n### Two ideas",
            "```console\n$ cargo xtask learn start two_ideas\n```",
            "<summary>Hint 2: Second</summary>\n\nLook again.\n\n</details>",
            "{{#diff exercises/one_idea/start.rs exercises/one_idea/solution.rs}}\n\nBecause.\n\n**Going further.**\n\n- More.",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        // Before the solution is opened, nothing of it is told.
        let before = text.split("A solution, and why").next().unwrap();
        assert!(!before.contains("More.") && !before.contains("Because."), "{before}");
        assert!(of_chapter(folder.path(), "ch1").is_err());
        assert!(of_chapter(folder.path(), "ch01-single-threaded").is_ok());
    }

    #[test]
    fn all_that_an_exercise_lacks_is_told() {
        let folder = repository();
        for file in ["one_idea/hints.md", "one_idea/solution.md", "two_ideas/README.md"] {
            std::fs::remove_file(folder.path().join("exercises").join(file)).unwrap();
        }
        let title = folder.path().join("exercises/one_idea/README.md");
        std::fs::write(title, "# Another\n").unwrap();
        let error = of_chapter(folder.path(), "ch01").unwrap_err().to_string();
        let told: Vec<&str> = error.lines().collect();
        assert_eq!(told.len(), 4, "{error}");
        assert!(told[2].contains("does not begin with `# One idea`"), "{error}");
        assert!(told[3].contains("README.md is not there"), "{error}");
    }

    #[test]
    fn the_table_has_a_line_for_each() {
        let folder = repository();
        let table = table(folder.path()).unwrap();
        assert_eq!(table.lines().filter(|line| line.starts_with('|')).count(), 2 + 2);
        assert!(table.contains(
            "| **One idea** `one_idea`<br>What it is about. | [1](ch01-single-threaded.md#your-turn) | write | 10 |"
        ));
        assert_eq!(number_of(folder.path(), "minutes").unwrap(), 20);
        assert!(number_of(folder.path(), "hours").is_err());
    }

    #[test]
    fn code_in_a_summary_is_html() {
        assert_eq!(html("Write `join` & <go>"), "Write <code>join</code> &amp; &lt;go>");
    }
}
