//! How a figure is marked that the machine may have disturbed, or that is the generator's.

use records::{
    base::significant,
    summary::{Line, Spread},
};

/// What a reader has to know about a figure before trusting it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The machine stalled in a run from which it comes, or the host took CPU time from it.
    pub is_disturbed: bool,
    /// In most rounds the generator was the limit, and the figure depends on that.
    pub is_generators: bool,
}

/// A mark: what follows a figure of a chart or a table, what explains it there, and what follows a figure of a sentence.
struct Mark(&'static str, &'static str, &'static str);

const DISTURBED: Mark = Mark(
    "\u{a0}†",
    "†: the machine stalled in one of its rounds or more, or the host took more than 1% of that round's time.",
    "[†](measuring.md \"the machine stalled, or the host took its CPU, in a round of this\")",
);

const GENERATORS: Mark = Mark(
    "\u{a0}‡",
    "‡: in most rounds the generator was the limit, so this rate is the generator's.",
    "[‡](measuring.md \"the generator was the limit, so this is the generator's\")",
);

impl Marks {
    /// Those of a variant's metric.
    pub(crate) fn of(line: &Line) -> Marks {
        Marks {
            is_disturbed: line.noisy + line.stolen > 0,
            is_generators: 2 * line.saturated > line.counted,
        }
    }

    fn all(self) -> impl Iterator<Item = Mark> {
        let disturbed = self.is_disturbed.then_some(DISTURBED);
        disturbed.into_iter().chain(self.is_generators.then_some(GENERATORS))
    }

    /// What follows a figure of a chart or a table.
    pub(crate) fn signs(self) -> String {
        self.all().map(|mark| mark.0).collect()
    }

    /// What follows a figure of a sentence: each sign as a link, which explains it.
    pub fn links(self) -> String {
        self.all().map(|mark| mark.2).collect()
    }
}

/// What explains the signs in a chart or a table.
pub(crate) fn explained(text: &str) -> Vec<&'static str> {
    let all = [DISTURBED, GENERATORS].into_iter();
    all.filter(|mark| text.contains(mark.0)).map(|mark| mark.1).collect()
}

/// A sentence with plain signs, for a chart, which explains them.
pub fn unlinked(sentence: &str) -> String {
    sentence.replace(DISTURBED.2, DISTURBED.0).replace(GENERATORS.2, GENERATORS.0)
}

/// The median of a variant's metric with its marks.
pub(crate) fn median(line: &Line) -> String {
    let median = |spread: Spread| significant(spread.median) + &Marks::of(line).signs();
    line.metric.map_or_else(|| "no run counts".to_owned(), median)
}
