//! How much is read and typed in a section, and how long that takes.

use std::{ops::Add, sync::LazyLock};

use regex::Regex;

use crate::way::page::{Section, What};

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

/// Where a link leads, and a tag: nobody reads that.
static UNSEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\]\([^)]*\)|\{\{[^}]*\}\}|<[^>]*>").expect("a correct expression")
});

impl Count {
    /// What is in this section, its folds left out. Of a difference, the lines that have changed are counted.
    pub fn of(section: &Section) -> Count {
        let mut count = Count::default();
        for piece in section.pieces.iter().filter(|piece| !piece.is_folded) {
            match &piece.what {
                What::Words(line) => count.words += words(line),
                What::Code { language, text, .. } if READ.contains(&language.as_str()) => {
                    count.lines += lines(text);
                }
                What::Code { .. } | What::Schedule(_) => {}
                What::Difference { gone, come, .. } => count.lines += lines(gone) + lines(come),
                What::Commands(commands) => count.commands += commands.len(),
            }
        }
        count
    }

    /// How many minutes that takes at these rates, rounded up.
    pub fn minutes(self, rates: Count) -> usize {
        let parts =
            [(self.words, rates.words), (self.lines, rates.lines), (self.commands, rates.commands)];
        parts.iter().map(|(many, rate)| *many as f64 / *rate as f64).sum::<f64>().ceil() as usize
    }
}

fn words(line: &str) -> usize {
    let seen = UNSEEN.replace_all(line, " ");
    seen.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}
