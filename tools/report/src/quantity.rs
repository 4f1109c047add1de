//! What a sentence says of what was measured, before it is put into words.

use base::{deserved_decimals, number};
use records::verdict::Verdict;

use crate::disturbed::MARK;

/// A figure: a number, or two with everything in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<T> {
    /// What it is, in the unit that is a part of its name.
    pub value: T,
    /// Whether the machine disturbed a run of an experiment from which it comes.
    pub is_disturbed: bool,
}

/// What a directive in a sentence stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number, and with how many digits after the point it is written.
    Number(Figure<f64>, usize),
    /// The ends of an interval or of a spread, and with how many digits after the point they are written.
    Pair(Figure<(f64, f64)>, usize),
    /// Whether the two variants of a contrast differ.
    Verdict(Verdict),
    /// A name, a version or a date.
    Word(String),
}

impl Quantity {
    /// A number that doesn't come from an experiment, so no mark follows it.
    pub fn number(value: f64, decimals: usize) -> Quantity {
        Quantity::Number(Figure { value, is_disturbed: false }, decimals)
    }

    /// How many there are of something.
    pub fn count(count: usize) -> Quantity {
        Quantity::number(count as f64, 0)
    }

    /// Such a number with as many digits as it deserves.
    pub fn significant(value: f64) -> Quantity {
        Quantity::number(value, deserved_decimals(value))
    }

    /// `9.9`, `810 to 836`, `differs` or `Linux 6`; a figure that the machine disturbed is marked.
    pub fn words(self) -> String {
        let (words, is_disturbed) = match self {
            Quantity::Number(Figure { value, is_disturbed }, decimals) => {
                (number(value, decimals), is_disturbed)
            }
            Quantity::Pair(Figure { value: (low, high), is_disturbed }, decimals) => {
                (number(low, decimals) + " to " + &number(high, decimals), is_disturbed)
            }
            Quantity::Verdict(verdict) => (verdict.words(), false),
            Quantity::Word(word) => (word, false),
        };
        words + if is_disturbed { MARK } else { "" }
    }
}
