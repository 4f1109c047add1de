//! What follows from the rounds of an experiment: medians, ratios within a round, and whether they differ.
//!
//! Two variants are compared inside a round only, because the machine is another one in every round.
//! The ratio that counts is the median over the rounds, with a 95 % interval by the percentile bootstrap
//! (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13): rounds are drawn again
//! with replacement, and the middle 95 % of the medians of such draws is the interval.
//!
//! The baseline runs a second time in each round, under another name. Its ratio to itself is 1 but for
//! noise, so a difference has to be larger than the largest of these.

use super::{
    description::CONTROL,
    store::{Record, RoundRun},
};

/// How many times the rounds are drawn again.
pub const RESAMPLES: usize = 10_000;

/// Fewer whole rounds than this say nothing.
pub const LEAST_ROUNDS: usize = 3;

/// Whether two variants differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval of the ratio leaves out 1, and the ratio is farther from 1 than any of the control's.
    Difference,
    /// The rounds show none. It may be there all the same, but smaller than the noise.
    NoDifferenceFound,
    /// There are fewer than [`LEAST_ROUNDS`] whole rounds.
    TooFewRounds,
}

/// One variant, compared with another.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The ratio of the two in each round that has both.
    pub ratios: Vec<f64>,
    /// The median ratio; `None` without a round.
    pub median: Option<f64>,
    /// The 95 % interval of the median ratio; `None` without a round.
    pub interval: Option<(f64, f64)>,
    /// The ratio of the control to the baseline in each round that has both.
    pub controls: Vec<f64>,
    /// Whether the two differ.
    pub verdict: Verdict,
}

/// The run of a variant that counts in a round: the last one that is not void.
pub fn counted<'a>(record: &'a Record, round: usize, variant: &str) -> Option<&'a RoundRun> {
    let mut runs = record.runs.iter().rev();
    runs.find(|run| run.round == round && run.variant == variant && run.void.is_none())
}

/// The rounds in which anything was measured, in order.
pub fn rounds(record: &Record) -> Vec<usize> {
    let mut rounds: Vec<usize> = record.runs.iter().map(|run| run.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

/// The values of a figure in the runs of a variant that count, in the order of the rounds.
pub fn values(record: &Record, variant: &str, figure: &str) -> Vec<f64> {
    let value = |round| value(record, round, variant, figure);
    rounds(record).into_iter().filter_map(value).collect()
}

fn value(record: &Record, round: usize, variant: &str, figure: &str) -> Option<f64> {
    counted(record, round, variant)?.figures.get(figure).copied().flatten()
}

/// The ratio of two variants in each round that has both.
///
/// Nothing divided by nothing is 1 here: two variants without a single drop are the same.
pub fn ratios(record: &Record, variant: &str, base: &str, figure: &str) -> Vec<f64> {
    let ratio = |round| {
        let value = |variant| value(record, round, variant, figure);
        let (one, other) = (value(variant)?, value(base)?);
        Some(if one == other { 1.0 } else { one / other })
    };
    rounds(record).into_iter().filter_map(ratio).collect()
}

/// Compares two variants by the experiment's metric.
///
/// `name` is the experiment's. With the variants' names it is the seed of the bootstrap,
/// so that every build of the book finds the same interval.
pub fn compare(name: &str, record: &Record, variant: &str, base: &str) -> Comparison {
    let experiment = &record.experiment;
    let ratios = ratios(record, variant, base, &experiment.metric);
    let controls = match experiment.control {
        true => self::ratios(record, CONTROL, experiment.baseline(), &experiment.metric),
        false => Vec::new(),
    };
    judge(ratios, controls, seed(&[name, variant, base]))
}

/// Judges ratios by the interval of their median, and by those of a control.
pub fn judge(ratios: Vec<f64>, controls: Vec<f64>, seed: u64) -> Comparison {
    let median = median(&ratios);
    let interval = interval(&ratios, seed);
    let verdict = match (median, interval) {
        (Some(median), Some((low, high))) if ratios.len() >= LEAST_ROUNDS => {
            let noise = controls.iter().map(|ratio| ratio.ln().abs()).fold(0.0, f64::max);
            let leaves_out_1 = low > 1.0 || high < 1.0;
            match leaves_out_1 && median.ln().abs() > noise {
                true => Verdict::Difference,
                false => Verdict::NoDifferenceFound,
            }
        }
        _ => Verdict::TooFewRounds,
    };
    Comparison { ratios, median, interval, controls, verdict }
}

/// The middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    median_in_place(&mut values)
}

fn median_in_place(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        1 => upper,
        _ => (values[middle - 1] + upper) / 2.0,
    })
}

/// The least and the greatest value; `None` without values.
pub fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let greatest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least, greatest))
}

/// The 95 % interval of the median by the percentile bootstrap; `None` without values.
pub fn interval(values: &[f64], seed: u64) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut draw = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            draw.fill_with(|| values[random.usize(..values.len())]);
            median_in_place(&mut draw).expect("a draw has as many values")
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| medians[(share * (RESAMPLES - 1) as f64).round() as usize];
    Some((at(0.025), at(0.975)))
}

/// A number from names: FNV-1a, which stays the same on every machine and with every compiler.
pub fn seed(names: &[&str]) -> u64 {
    let bytes = names.iter().flat_map(|name| name.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::store::tests::{example_record, example_run};

    /// A number from the standard normal distribution, by the method of Box and Muller.
    fn normal(random: &mut fastrand::Rng) -> f64 {
        let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * random.f64()).cos()
    }

    #[test]
    fn middles_and_ends() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[2.0, 9.0, 1.0]), Some((1.0, 9.0)));
    }

    #[test]
    fn the_interval_of_known_values() {
        assert_eq!(interval(&[], 1), None);
        assert_eq!(interval(&[2.0], 1), Some((2.0, 2.0)));
        assert_eq!(interval(&[2.0; 5], 1), Some((2.0, 2.0)));
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        // The 2.5th and 97.5th percentile of the exact distribution of a draw's median.
        assert_eq!(interval(&values, 1), Some((2.0, 6.0)));
        assert_eq!(interval(&values, 7), interval(&values, 7));
        assert_eq!(seed(&["a", "bc"]), seed(&["a", "bc"]));
        assert_ne!(seed(&["a", "bc"]), seed(&["ab", "c"]));
    }

    #[test]
    fn the_interval_holds_the_true_median_about_95_times_in_100() {
        let mut random = fastrand::Rng::with_seed(1);
        let (trials, mut held) = (200, 0);
        for trial in 0..trials {
            let values: Vec<f64> = (0..11).map(|_| normal(&mut random)).collect();
            let (low, high) = interval(&values, trial).unwrap();
            held += u64::from(low <= 0.0 && 0.0 <= high);
        }
        assert!((180..=199).contains(&held), "{held} of {trials}");
    }

    #[test]
    fn the_same_twice_is_no_difference_and_twice_as_much_is_one() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut noise = |factor: f64| -> Vec<f64> {
            (0..9).map(|_| factor * (0.1 * normal(&mut random)).exp()).collect()
        };
        let mut found = 0;
        for trial in 0..100 {
            let same = judge(noise(1.0), noise(1.0), trial);
            found += usize::from(same.verdict != Verdict::NoDifferenceFound);
            let double = judge(noise(2.0), noise(1.0), trial);
            assert_eq!(double.verdict, Verdict::Difference, "{double:?}");
            let half = judge(noise(0.5), noise(1.0), trial);
            assert_eq!(half.verdict, Verdict::Difference, "{half:?}");
        }
        assert!(found <= 2, "{found} differences where there is none");
    }

    #[test]
    fn a_difference_is_larger_than_the_controls() {
        let ratios = vec![1.2, 1.21, 1.22, 1.19];
        let verdict = |controls: &[f64]| judge(ratios.clone(), controls.to_vec(), 1).verdict;
        assert_eq!(verdict(&[]), Verdict::Difference);
        assert_eq!(verdict(&[1.1, 0.9, 1.0, 1.0]), Verdict::Difference);
        assert_eq!(verdict(&[1.0, 0.8, 1.0, 1.0]), Verdict::NoDifferenceFound);
        assert_eq!(judge(vec![2.0, 2.0], vec![], 1).verdict, Verdict::TooFewRounds);
        assert_eq!(judge(vec![], vec![], 1).verdict, Verdict::TooFewRounds);
    }

    #[test]
    fn ratios_stay_within_a_round_and_void_runs_do_not_count() {
        let mut record = example_record();
        for round in 1..=4 {
            let speed = 100.0 * round as f64;
            record.runs.push(example_run(round, "pool of 1", 1, speed));
            record.runs.push(example_run(round, "control", 1, speed * 1.01));
            record.runs.push(example_run(round, "pool of 4", 1, speed * 4.0));
        }
        // In round 4 it had errors, and did not do better the second time.
        let last = record.runs.last_mut().unwrap();
        last.void = Some("errors".to_owned());
        assert_eq!(values(&record, "pool of 4", "requests_per_second"), [400.0, 800.0, 1200.0]);
        let comparison = compare("pool-law", &record, "pool of 4", "pool of 1");
        assert_eq!(comparison.ratios, [4.0, 4.0, 4.0]);
        assert_eq!(comparison.controls.len(), 4);
        assert_eq!((comparison.median, comparison.verdict), (Some(4.0), Verdict::Difference));
        // A second attempt takes its place.
        record.runs.push(example_run(4, "pool of 4", 2, 800.0));
        assert_eq!(ratios(&record, "pool of 4", "pool of 1", "requests_per_second")[3], 2.0);
        let control = compare("pool-law", &record, "control", "pool of 1");
        assert_eq!(control.verdict, Verdict::NoDifferenceFound);
    }

    #[test]
    fn nothing_is_as_much_as_nothing() {
        let mut record = example_record();
        record.runs.push(example_run(1, "pool of 1", 1, 0.0));
        record.runs.push(example_run(1, "pool of 4", 1, 0.0));
        record.runs.push(example_run(2, "pool of 1", 1, 0.0));
        record.runs.push(example_run(2, "pool of 4", 1, 5.0));
        let ratios = ratios(&record, "pool of 4", "pool of 1", "requests_per_second");
        assert_eq!(ratios, [1.0, f64::INFINITY]);
    }
}
