//! Medians, and how sure one can be of them.

/// How many times the values are drawn again for an interval.
pub const RESAMPLES: usize = 10_000;

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

/// The 95 % interval of the median by the percentile bootstrap; `None` without values.
///
/// Values are drawn again with replacement, and the middle 95 % of the medians of such draws is the interval
/// (B. Efron, R. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13). The same seed gives the same one.
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
}
