//! The order of the runs: round by round, and within each at random.

/// A variant in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The round, counted from 1.
    pub round: usize,
    /// The variant, or [`CONTROL`](records::description::CONTROL).
    pub variant: String,
}

/// The order of the runs: round by round, and within each what `variants` names, in an order that the seed fixes.
pub fn order(variants: &[&str], rounds: usize, seed: u64) -> Vec<Entry> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut order = Vec::new();
    for round in 1..=rounds {
        let mut variants = variants.to_vec();
        random.shuffle(&mut variants);
        let entry = |variant: &str| Entry { round, variant: variant.to_owned() };
        order.extend(variants.into_iter().map(entry));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_fixes_the_order_and_every_round_is_whole() {
        let variants = ["pool of 1", "pool of 4", "control"];
        let runs = order(&variants, 5, 7);
        assert_eq!(runs, order(&variants, 5, 7));
        assert_ne!(runs, order(&variants, 5, 8));
        for (index, round) in runs.chunks(3).enumerate() {
            let mut names: Vec<_> = round.iter().map(|entry| entry.variant.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["control", "pool of 1", "pool of 4"]);
            assert!(round.iter().all(|entry| entry.round == index + 1));
        }
        // A longer experiment begins as a shorter one does.
        assert_eq!(order(&variants, 9, 7)[..15], runs);
    }
}
