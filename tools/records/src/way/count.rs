//! Counts what is read and typed in a section, and how long that takes.

use std::{ops::Add, sync::LazyLock};

use regex::Regex;

use crate::way::page::{Content, Section};

/// The languages that are read line by line. What a program prints is looked at.
const READ: [&str; 2] = ["rust", "toml"];

/// Words of prose, lines of code, and commands; or how many of each are read and typed in a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Words of prose.
    pub words: usize,
    /// Lines of code that aren't empty.
    pub lines: usize,
    /// Commands that are typed.
    pub commands: usize,
}

impl Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count {
            words: self.words + other.words,
            lines: self.lines + other.lines,
            commands: self.commands + other.commands,
        }
    }
}

/// The parts of Markdown that nobody reads: the targets of links, directives, and tags.
static UNSEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\]\([^)]*\)|\{\{[^}]*\}\}|<[^>]*>").expect("a correct expression")
});

impl Count {
    /// Counts this section, without its folds; of a difference, the lines that have changed.
    pub fn of(section: &Section) -> Count {
        let mut count = Count::default();
        for piece in section.pieces.iter().filter(|piece| !piece.is_folded) {
            match &piece.content {
                Content::Words(line) => count.words += words(line),
                Content::Code { language, text, .. } if READ.contains(&language.as_str()) => {
                    count.lines += lines(text);
                }
                Content::Code { .. } | Content::Schedule(_) => {}
                Content::Difference { removed, added, .. } => {
                    count.lines += lines(removed) + lines(added);
                }
                Content::Commands(commands) => count.commands += commands.len(),
            }
        }
        count
    }

    /// Computes the minutes that this takes at these rates, rounded up.
    pub fn minutes(self, rates: Count) -> usize {
        let words = self.words as f64 / rates.words as f64;
        let lines = self.lines as f64 / rates.lines as f64;
        let commands = self.commands as f64 / rates.commands as f64;
        (words + lines + commands).ceil() as usize
    }
}

fn words(line: &str) -> usize {
    let seen = UNSEEN.replace_all(line, " ");
    seen.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}
