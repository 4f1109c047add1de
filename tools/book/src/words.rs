//! What can be read from the words of a directive.

use anyhow::{Context, Result, bail};

/// The words that are still to be read.
pub(crate) struct Words<'a> {
    left: &'a [String],
    /// How many of them are more than there must be.
    spare: usize,
}

impl<'a> Words<'a> {
    /// For places that take so many words each; `None` if these are too few or too many.
    pub(crate) fn of(words: &'a [String], places: &[Place]) -> Option<Words<'a>> {
        let least = places.iter().map(|place| place.times.0).sum();
        let most = places.iter().fold(0_usize, |most, place| most.saturating_add(place.times.1));
        (least..=most)
            .contains(&words.len())
            .then(|| Words { left: words, spare: words.len() - least })
    }

    /// What stands in the next place.
    pub(crate) fn take<W: Word>(&mut self) -> Result<W> {
        let (least, most) = W::TIMES;
        let more = self.spare.min(most - least);
        self.spare -= more;
        let (words, left) = self.left.split_at(least + more);
        self.left = left;
        W::read(words)
    }
}

/// A place in a directive.
pub(crate) struct Place {
    pub name: &'static str,
    /// How few and how many words can stand there.
    pub times: (usize, usize),
}

impl Place {
    /// How it is written: in capitals, and in square brackets if it can be left out.
    pub(crate) fn usage(&self) -> String {
        let name = match self.name {
            "place" | "other" => "RUNG/BENCH/NAME".to_owned(),
            name => name.to_uppercase(),
        };
        match self.times {
            (1, _) => name,
            (_, 1) => format!("[{name}]"),
            _ => format!("[{name}...]"),
        }
    }
}

/// What can stand in a place.
pub(crate) trait Word: Sized {
    /// How few and how many words it takes.
    const TIMES: (usize, usize) = (1, 1);

    /// Reads it from as many words.
    fn read(words: &[String]) -> Result<Self>;
}

impl Word for String {
    fn read(words: &[String]) -> Result<String> {
        Ok(words.concat())
    }
}

impl Word for Option<String> {
    const TIMES: (usize, usize) = (0, 1);

    fn read(words: &[String]) -> Result<Option<String>> {
        Ok(words.first().cloned())
    }
}

impl Word for Vec<String> {
    const TIMES: (usize, usize) = (0, usize::MAX);

    fn read(words: &[String]) -> Result<Vec<String>> {
        Ok(words.to_vec())
    }
}

impl Word for usize {
    fn read(words: &[String]) -> Result<usize> {
        match words[0].parse() {
            Ok(decimals @ 0..=9) => Ok(decimals),
            _ => bail!("the number of decimals is a digit from 0 to 9, not `{}`", words[0]),
        }
    }
}

impl Word for f64 {
    fn read(words: &[String]) -> Result<f64> {
        words[0].parse().context("the factor is no number")
    }
}
