//! Medians, and how sure one can be of them.

/// The middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        1 => upper,
        _ => (values[middle - 1] + upper) / 2.0,
    })
}

/// What an interval leaves out at either end.
const TAIL: f64 = 0.025;

/// The 95 % interval of the median by the percentile bootstrap; `None` without values.
///
/// Were values drawn again with replacement, the middle 95 % of the medians of such draws would be the interval
/// (B. Efron, R. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13). The median of a draw is one of
/// the `k` smallest values if at least half of the draw is, and how likely that is follows from the binomial
/// distribution, whatever the values: so the interval reaches from one rank to another, and nothing has to be drawn.
pub fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let skipped = skipped(values.len());
    Some((*values.get(skipped)?, values[values.len() - 1 - skipped]))
}

/// How many of so many values lie outside the interval at either end.
///
/// A draw of an even number has two values in the middle. Half of it suffices here, which makes the interval wider.
fn skipped(count: usize) -> usize {
    let half = count.div_ceil(2);
    let is_rare = |k: &usize| at_least(half, count, *k as f64 / count as f64) <= TAIL;
    (1..=half).take_while(is_rare).count()
}

/// How likely something that happens with this chance happens at least `least` times in `trials`.
fn at_least(least: usize, trials: usize, chance: f64) -> f64 {
    let mut times = vec![0.0; trials + 1];
    times[0] = 1.0;
    for trial in 1..=trials {
        for count in (1..=trial).rev() {
            times[count] = times[count] * (1.0 - chance) + times[count - 1] * chance;
        }
        times[0] *= 1.0 - chance;
    }
    times[least..].iter().sum()
}

/// How often chance alone would put the logarithms of these ratios as far to one side as they are, or further, if
/// both sides were equally likely: the exact signed-rank test, for both sides.
///
/// The distances from 1 are ranked, and the ranks of those above 1 and of those below are added up: a round that is
/// far off counts for more than one that is near (F. Wilcoxon, *Individual Comparisons by Ranking Methods*,
/// Biometrics Bulletin 1, 1945). Ratios of exactly 1 are left out; without others the answer is 1.
pub fn chance(ratios: &[f64]) -> f64 {
    let mut logs: Vec<f64> =
        ratios.iter().map(|ratio| ratio.ln()).filter(|log| *log != 0.0).collect();
    logs.sort_unstable_by(|one, other| one.abs().total_cmp(&other.abs()));
    // Equal distances share the mean of their ranks; twice that is a whole number.
    let twice_rank = |log: &f64| {
        let first = logs.partition_point(|other| other.abs() < log.abs());
        let end = logs.partition_point(|other| other.abs() <= log.abs());
        first + 1 + end
    };
    let ranks: Vec<usize> = logs.iter().map(twice_rank).collect();
    let all: usize = ranks.iter().sum();
    let above: usize =
        logs.iter().zip(&ranks).filter(|(log, _)| **log > 0.0).map(|(_, rank)| rank).sum();
    // In how many of the 2^n ways to give each rank a side does one side come to each sum?
    let mut ways = vec![0.0; all + 1];
    ways[0] = 1.0;
    for &rank in &ranks {
        for sum in (rank..=all).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let less = ways[..=above.min(all - above)].iter().sum::<f64>();
    (2.0 * less / 2f64.powi(ranks.len() as i32)).min(1.0)
}

/// A thousandth is finer than anything that is measured here.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// A millionth, for what happens less than once a request.
pub fn finely(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A number from the standard normal distribution, by the method of Box and Muller.
    pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
        let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * random.f64()).cos()
    }

    #[test]
    fn middles_and_ends() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn the_interval_of_known_values() {
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[2.0]), Some((2.0, 2.0)));
        assert_eq!(interval(&[2.0; 5]), Some((2.0, 2.0)));
        assert_eq!(interval(&[1.0, 3.0, 2.0]), Some((1.0, 3.0)));
        let values = [7.0, 2.0, 3.0, 1.0, 5.0, 6.0, 4.0];
        assert_eq!(interval(&values), Some((2.0, 6.0)));
        assert_eq!(at_least(0, 3, 0.5), 1.0);
        assert_eq!(at_least(2, 3, 0.5), 0.5);
        assert_eq!(at_least(4, 4, 0.5), 1.0 / 16.0);
    }

    /// The interval that the bootstrap is by its definition: from the medians of 10,000 draws.
    fn by_drawing(values: &[f64], random: &mut fastrand::Rng) -> (f64, f64) {
        let mut medians: Vec<f64> = std::iter::repeat_with(|| {
            let draw = std::iter::repeat_with(|| values[random.usize(..values.len())]);
            median(&draw.take(values.len()).collect::<Vec<f64>>()).unwrap()
        })
        .take(10_000)
        .collect();
        medians.sort_unstable_by(f64::total_cmp);
        (medians[250], medians[9_749])
    }

    #[test]
    fn the_interval_is_what_draws_come_to() {
        let mut random = fastrand::Rng::with_seed(4);
        for count in 1..=13 {
            let values: Vec<f64> = std::iter::repeat_with(|| random.f64()).take(count).collect();
            let (low, high) = interval(&values).unwrap();
            let drawn = by_drawing(&values, &mut random);
            match count % 2 {
                1 => assert_eq!((low, high), drawn, "{count}"),
                _ => assert!(low <= drawn.0 && drawn.1 <= high, "{count}"),
            }
        }
    }

    /// From the tables of the test, such as that of W. J. Conover, *Practical Nonparametric Statistics*: the sum of
    /// the smaller side's ranks may be 0 with 7 rounds, 7 with 11, and 15 with 14 for a chance of 2 % on both sides.
    #[test]
    fn chance_is_that_of_the_tables() {
        // Distances of 1 to n, of which those in `below` are on the other side.
        let chance = |n: usize, below: &[usize]| {
            let sign = |rank| if below.contains(&rank) { -1.0 } else { 1.0 };
            let ratios: Vec<f64> =
                (1..=n).map(|rank| (sign(rank) * rank as f64 / 10.0).exp()).collect();
            super::chance(&ratios)
        };
        assert_eq!(chance(5, &[]), 2.0 / 32.0);
        assert_eq!(chance(5, &[1, 2, 3, 4, 5]), 2.0 / 32.0);
        assert_eq!(chance(7, &[]), 2.0 / 128.0);
        assert_eq!(chance(7, &[1]), 4.0 / 128.0);
        assert!(chance(11, &[7]) < 0.02 && chance(11, &[8]) > 0.02);
        assert_eq!(chance(11, &[7]), chance(11, &[3, 4]));
        assert!(chance(14, &[1, 2, 12]) < 0.02 && chance(14, &[2, 14]) > 0.02);
        assert_eq!(chance(4, &[1, 4]), 1.0);
        // Ties, and rounds that say nothing.
        assert_eq!(super::chance(&[]), 1.0);
        assert_eq!(super::chance(&[1.0, 1.0]), 1.0);
        assert_eq!(super::chance(&[2.0, 2.0, 2.0, 1.0]), 2.0 / 8.0);
        assert_eq!(super::chance(&[2.0, 2.0, 0.5]), 1.0);
    }

    #[test]
    fn the_interval_holds_the_true_median_about_95_times_in_100() {
        let mut random = fastrand::Rng::with_seed(1);
        let trials = 200;
        let mut held = 0;
        for _ in 0..trials {
            let values: Vec<f64> = (0..11).map(|_| normal(&mut random)).collect();
            let (low, high) = interval(&values).unwrap();
            held += u64::from(low <= 0.0 && 0.0 <= high);
        }
        assert!((180..=199).contains(&held), "{held} of {trials}");
    }
}
