//! The parameters of a directive, and how their arguments are read from its words.

use anyhow::{Result, bail};

/// The kinds of argument that a directive takes.
pub(crate) struct Parameter {
    pub name: &'static str,
    /// The least and the greatest number of words that its argument can have.
    pub words: (usize, usize),
}

impl Parameter {
    /// Writes its name in capitals, and in square brackets if it can be left out.
    pub(crate) fn usage(&self) -> String {
        let name = self.name.to_uppercase();
        match self.words {
            (1, _) => name,
            (_, 1) => format!("[{name}]"),
            _ => format!("[{name}...]"),
        }
    }
}

/// The arguments that are still to be read.
pub(crate) struct Arguments<'a> {
    words: &'a [String],
    /// The number of words beyond those that there must be.
    spare: usize,
}

impl<'a> Arguments<'a> {
    /// Takes the words for these parameters; `None` if they are too few, or too many.
    pub(crate) fn of(words: &'a [String], parameters: &[Parameter]) -> Option<Arguments<'a>> {
        let least = parameters.iter().map(|parameter| parameter.words.0).sum();
        let most = parameters.iter().fold(0_usize, |most, it| most.saturating_add(it.words.1));
        let fit = (least..=most).contains(&words.len());
        fit.then(|| Arguments { words, spare: words.len() - least })
    }

    /// Takes the argument of the next parameter.
    pub(crate) fn take<A: Argument>(&mut self) -> Result<A> {
        let (least, most) = A::WORDS;
        let more = self.spare.min(most - least);
        self.spare -= more;
        let (own, left) = self.words.split_at(least + more);
        self.words = left;
        A::read(own)
    }
}

/// A kind of argument.
pub(crate) trait Argument: Sized {
    /// The least and the greatest number of words that it can have.
    const WORDS: (usize, usize) = (1, 1);

    /// Reads it from as many words.
    fn read(words: &[String]) -> Result<Self>;
}

impl Argument for String {
    fn read(words: &[String]) -> Result<String> {
        Ok(words.concat())
    }
}

impl Argument for Option<String> {
    const WORDS: (usize, usize) = (0, 1);

    fn read(words: &[String]) -> Result<Option<String>> {
        Ok(words.first().cloned())
    }
}

impl Argument for Vec<String> {
    const WORDS: (usize, usize) = (0, usize::MAX);

    fn read(words: &[String]) -> Result<Vec<String>> {
        Ok(words.to_vec())
    }
}

impl Argument for usize {
    fn read(words: &[String]) -> Result<usize> {
        match words[0].parse() {
            Ok(decimals @ 0..=9) => Ok(decimals),
            _ => bail!("the number of decimals is a digit from 0 to 9, not `{}`", words[0]),
        }
    }
}
