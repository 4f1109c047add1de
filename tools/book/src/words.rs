//! The words of a directive, and what can be read from them.

use std::vec::IntoIter;

use anyhow::{Context, Result, bail};
use base::number;

/// The words of a directive. One that holds spaces stands in double quotes.
///
/// # Errors
/// When a quote is not closed, or something is glued to it.
pub(crate) fn split(rest: &str) -> Result<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').context("a double quote is not closed")?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            bail!("a space must follow the word in quotes, \"{word}\"");
        }
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

/// The words that are still to be read.
pub(crate) struct Words<'a> {
    pub left: IntoIter<&'a str>,
    /// How many of them are more than there must be.
    pub spare: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Result<String> {
        self.left.next().map(str::to_owned).context("a word is missing")
    }

    fn next_spare(&mut self) -> Option<String> {
        self.spare = self.spare.checked_sub(1)?;
        self.left.next().map(str::to_owned)
    }
}

/// What one place in a directive can hold.
pub(crate) trait Word: Sized {
    /// How few words it takes.
    const LEAST: usize = 1;
    /// How many words it takes.
    const MOST: usize = 1;
    /// What it is called in a usage, if not by the place's own name.
    const CALLED: Option<&'static str> = None;

    /// Reads it from the words that are left.
    ///
    /// # Errors
    /// When the word has another form.
    fn take(words: &mut Words) -> Result<Self>;
}

/// How one place of a directive is written.
pub(crate) struct WordForm {
    pub name: &'static str,
    pub least: usize,
    pub most: usize,
}

/// The form of a place with this name.
pub(crate) const fn form_of<W: Word>(name: &'static str) -> WordForm {
    let name = match W::CALLED {
        Some(called) => called,
        None => name,
    };
    WordForm { name, least: W::LEAST, most: W::MOST }
}

impl WordForm {
    /// In capitals, and in square brackets if it can be left out.
    pub(crate) fn usage(&self) -> String {
        let name = self.name.to_uppercase();
        match (self.least, self.most) {
            (1, _) => name,
            (_, 1) => format!("[{name}]"),
            _ => format!("[{name}...]"),
        }
    }
}

impl Word for String {
    fn take(words: &mut Words) -> Result<String> {
        words.next()
    }
}

impl Word for Option<String> {
    const LEAST: usize = 0;

    fn take(words: &mut Words) -> Result<Option<String>> {
        Ok(words.next_spare())
    }
}

impl Word for Vec<String> {
    const LEAST: usize = 0;
    const MOST: usize = usize::MAX;

    fn take(words: &mut Words) -> Result<Vec<String>> {
        Ok(std::iter::from_fn(|| words.next_spare()).collect())
    }
}

/// Where a figure of the ladder's runs is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place(pub String);

impl Word for Place {
    const CALLED: Option<&'static str> = Some("rung/bench/name");

    fn take(words: &mut Words) -> Result<Place> {
        words.next().map(Place)
    }
}

/// How many digits follow the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimals(pub usize);

impl Decimals {
    /// The number with as many digits.
    pub(crate) fn show(self, value: f64) -> String {
        number(value, self.0)
    }
}

impl Word for Decimals {
    fn take(words: &mut Words) -> Result<Decimals> {
        let word = words.next()?;
        match word.parse() {
            Ok(decimals @ 0..=9) => Ok(Decimals(decimals)),
            _ => bail!("the number of decimals is a digit from 0 to 9, not `{word}`"),
        }
    }
}

impl Word for f64 {
    fn take(words: &mut Words) -> Result<f64> {
        words.next()?.parse().context("the factor is no number")
    }
}
