//! Decides whether two variants differ, by one rule that a reader can check by eye.
//!
//! *Two variants differ if all rounds agree which of them has more. How much is then the median of the ratios of the
//! rounds, with the least and the greatest of them.* Otherwise nobody can tell.
//!
//! A ratio is that of two runs of one round, because the machine's moods pass slower than a round does. Of two equals,
//! chance alone lets one have more in each of five rounds once in sixteen times.

use std::iter::zip;

use crate::{stats::median, store::Record};

/// The fewest rounds: with four, equal variants would agree once in eight times.
pub const LEAST_ROUNDS: usize = 5;

/// A figure of a variant over its rounds, in the unit that is a part of its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// Computes the spread of these values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        Some(Spread {
            median: median(values)?,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

/// Which of two has more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    More,
    /// The second.
    Less,
}

/// The comparison of two variants, round by round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Which of the two has more in all rounds, if there are [`LEAST_ROUNDS`] and they agree.
    pub agree: Option<Side>,
    /// The median of the ratios.
    pub median: f64,
    /// The least of them.
    pub least: f64,
    /// The greatest of them; infinite where the second is 0 in a round.
    pub greatest: f64,
    /// The number of rounds that have both.
    pub rounds: usize,
}

impl Difference {
    /// Compares the values of two variants in the same rounds; `None` without a round.
    fn of(first: &[f64], second: &[f64]) -> Option<Difference> {
        let ratios: Vec<f64> = zip(first, second).map(|(one, other)| one / other).collect();
        let Spread { median, least, greatest } = Spread::of(&ratios)?;
        let rounds = ratios.len();
        let agree = agreement(first, second).filter(|_| rounds >= LEAST_ROUNDS);
        Some(Difference { agree, median, least, greatest, rounds })
    }
}

/// Finds which of the two has more in all rounds; `None` where they don't agree.
fn agreement(first: &[f64], second: &[f64]) -> Option<Side> {
    if zip(first, second).all(|(one, other)| one > other) {
        return Some(Side::More);
    }
    zip(first, second).all(|(one, other)| one < other).then_some(Side::Less)
}

impl Record {
    /// Compares a figure of two variants over the rounds that have both; `None` if none has.
    pub fn difference(&self, of: &str, to: &str, figure: &str) -> Option<Difference> {
        let first = self.values(of, figure);
        let second = self.values(to, figure);
        let rounds = first.keys().filter(|round| second.contains_key(round));
        let (first, second): (Vec<f64>, Vec<f64>) =
            rounds.map(|round| (first[round], second[round])).unzip();
        Difference::of(&first, &second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    fn of(ratios: &[f64]) -> Difference {
        Difference::of(ratios, &vec![1.0; ratios.len()]).unwrap()
    }

    #[test]
    fn two_differ_if_all_rounds_agree() {
        for (ratios, agree, median) in [
            ([2.0, 2.1, 1.9, 2.0, 2.2], Some(Side::More), 2.0),
            ([1.009, 1.009, 1.008, 1.009, 1.001], Some(Side::More), 1.009),
            ([0.5, 0.4, 0.6, 0.5, 0.5], Some(Side::Less), 0.5),
            ([1.5, 1.6, 1.7, 1.6, 0.98], None, 1.6),
            // A round in which both have the same agrees with nobody.
            ([2.0, 2.0, 2.0, 2.0, 1.0], None, 2.0),
        ] {
            let found = of(&ratios);
            assert_eq!((found.agree, found.median), (agree, median), "{ratios:?}");
        }
        let found = of(&[2.0, 2.1, 1.9, 2.0, 2.2]);
        assert_eq!((found.least, found.greatest, found.rounds), (1.9, 2.2, 5));
        assert_eq!(of(&[2.0; 4]).agree, None, "four rounds are too few");
        assert_eq!(Difference::of(&[], &[]), None);
    }

    #[test]
    fn nothing_can_be_divided_by_0_and_still_it_is_less() {
        let found = Difference::of(&[97.0; 5], &[0.0; 5]).unwrap();
        assert_eq!((found.agree, found.median), (Some(Side::More), f64::INFINITY));
        assert_eq!(Difference::of(&[0.0; 5], &[0.0; 5]).unwrap().agree, None);
    }

    #[test]
    fn only_rounds_that_both_have_are_compared() {
        // The machine halves its pace in round 2; the ratio does not move.
        let mut record = record(&[("a", &[100.0, 50.0, 100.0]), ("b", &[300.0, 150.0, 300.0])]);
        let found = record.difference("b", "a", "requests_per_second").unwrap();
        assert_eq!((found.least, found.greatest, found.rounds), (3.0, 3.0, 3));
        record.runs.retain(|run| run.variant == "a" || run.round == 3);
        assert_eq!(record.difference("b", "a", "requests_per_second").unwrap().rounds, 1);
        assert_eq!(record.difference("b", "a", "errors"), None);
    }

    /// In two of the 32 ways in which five rounds can fall: the number that the book tells.
    #[test]
    fn equals_agree_once_in_sixteen_times() {
        let mut agreed = 0;
        for sides in 0..32_u32 {
            let mut ratios = [0.9; 5];
            for (round, ratio) in ratios.iter_mut().enumerate() {
                if sides & (1 << round) != 0 {
                    *ratio = 1.1;
                }
            }
            agreed += usize::from(of(&ratios).agree.is_some());
        }
        assert_eq!(agreed * 16, 32);
    }
}
