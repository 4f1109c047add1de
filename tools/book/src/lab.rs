//! The questions of the scheduler lab, for readers without JavaScript and for paper. The lab's script reads the same file,
//! which also holds their settings.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use pictures::text::escape;

/// Where the questions stand, from the repository's root.
const QUESTIONS: &str = "book/lab/questions.json";

/// What a page says of a question.
#[derive(Deserialize)]
struct Question {
    name: String,
    title: String,
    question: String,
    given: String,
    answers: Vec<Answer>,
    reveal: String,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
    #[serde(default)]
    right: bool,
    why: String,
}

/// One question, which the lab plays in its place.
pub(crate) fn question(root: &Path, name: &str) -> Result<String> {
    let questions = read(root)?;
    let found = questions.iter().find(|it| it.name == name);
    let Question { title, question, given, .. } =
        found.with_context(|| format!("{QUESTIONS} has no question `{name}`"))?;
    Ok(format!(
        "<scheduler-lab preset=\"{name}\">\n\n**{title}** {question}\n\n{given}\n\
         [The scheduler lab](lab.md#preset={name}) has the answer, and plays it.\n\n</scheduler-lab>"
    ))
}

/// All questions with their answers, where no script asks them: their places are those of the lab's links.
pub(crate) fn questions(root: &Path) -> Result<String> {
    let sections = read(root)?.iter().map(Question::section).collect::<Result<Vec<_>>>();
    Ok(format!("<div class=\"lab-questions\">\n\n{}\n\n</div>", sections?.join("\n\n")))
}

fn read(root: &Path) -> Result<Vec<Question>> {
    let text = fs::read_to_string(root.join(QUESTIONS));
    let text = text.with_context(|| format!("cannot read {QUESTIONS}"))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{QUESTIONS} does not hold the lab's questions"))
}

impl Question {
    fn section(&self) -> Result<String> {
        let Question { name, title, question, given, answers, reveal } = self;
        let right: Vec<&Answer> = answers.iter().filter(|answer| answer.right).collect();
        ensure!(right.len() == 1, "the question `{name}` has {} right answers", right.len());
        let Answer { text, why, .. } = right[0];
        let list: String = answers.iter().map(|answer| format!("1. {}\n", answer.text)).collect();
        Ok(format!(
            "<p id=\"preset={name}\"><strong>{}</strong></p>\n\n{question}\n\n{list}\n{given}\n\n\
             <details>\n<summary>Answer</summary>\n\n**{text}.** {why}\n\n{reveal}\n\n</details>",
            escape(title)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one question.
    fn with(right: [bool; 2]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("book/lab")).unwrap();
        let questions = serde_json::json!([{
            "name": "pool-80", "title": "How many?", "question": "Eight wait.", "given": "Two CPUs.",
            "answers": [
                { "text": "20", "right": right[0], "why": "They wait." },
                { "text": "80", "right": right[1], "why": "Eight at a time." },
            ],
            "reveal": "Look.", "settings": { "threads": 8 },
        }]);
        fs::write(root.path().join(QUESTIONS), questions.to_string()).unwrap();
        root
    }

    #[test]
    fn a_question_stands_in_a_chapter_in_words_and_with_a_link() {
        let root = with([false, true]);
        let text = question(root.path(), "pool-80").unwrap();
        assert!(text.starts_with(
            "<scheduler-lab preset=\"pool-80\">\n\n**How many?** Eight wait.\n\nTwo CPUs.\n[The scheduler lab](lab.md#preset=pool-80)"
        ));
        let error = question(root.path(), "pool-8").unwrap_err().to_string();
        assert_eq!(error, "book/lab/questions.json has no question `pool-8`");
    }

    #[test]
    fn the_page_of_the_lab_has_the_answers() {
        let text = questions(with([false, true]).path()).unwrap();
        assert!(text.starts_with(
            "<div class=\"lab-questions\">\n\n<p id=\"preset=pool-80\"><strong>How many?</strong></p>\n\nEight wait.\n\n1. 20\n1. 80\n\nTwo CPUs.\n"
        ));
        // Plain, its number and its full stop would begin a list.
        assert!(text.contains("\n**80.** Eight at a time.\n\nLook.\n"));
        let error = questions(with([true, true]).path()).unwrap_err().to_string();
        assert_eq!(error, "the question `pool-80` has 2 right answers");
    }
}
