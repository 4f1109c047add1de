//! What a sentence says of what was measured, before it is put into words.

use records::base::{deserved_decimals, number};

use crate::report::disturbed::Marks;

/// A figure: a number, or two with everything in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<T> {
    /// What it is, in the unit that is a part of its name.
    pub value: T,
    /// What a reader has to know about it.
    pub marks: Marks,
}

/// What a directive in a sentence stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number, and with how many digits after the point it is written.
    Number(Figure<f64>, usize),
    /// The least and the greatest of several, and with how many digits after the point they are written.
    Pair(Figure<(f64, f64)>, usize),
}

impl Quantity {
    /// A number that doesn't come from an experiment, so no mark follows it.
    pub fn number(value: f64, decimals: usize) -> Quantity {
        Quantity::Number(Figure { value, marks: Marks::default() }, decimals)
    }

    /// How many there are of something.
    pub fn count(count: usize) -> Quantity {
        Quantity::number(count as f64, 0)
    }

    /// Such a number with as many digits as it deserves.
    pub fn significant(value: f64) -> Quantity {
        Quantity::number(value, deserved_decimals(value))
    }

    /// `9.9` or `810 to 836`; a figure is followed by its marks.
    pub fn words(self) -> String {
        let (words, marks) = match self {
            Quantity::Number(Figure { value, marks }, decimals) => (number(value, decimals), marks),
            Quantity::Pair(Figure { value: (low, high), marks }, decimals) => {
                (number(low, decimals) + " to " + &number(high, decimals), marks)
            }
        };
        words + &marks.links()
    }
}
