//! The runs: in which order they are made, how often each is tried, and which of its attempts counts.

use records::store::RoundRun;

use crate::figures::get;

/// How often a run is tried.
pub const ATTEMPTS: usize = 3;

/// A variant, or [`CONTROL`](records::description::CONTROL), in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Counted from 1.
    pub round: usize,
    pub variant: String,
}

impl Entry {
    fn is_tried_by(&self, run: &RoundRun) -> bool {
        run.round == self.round && run.variant == self.variant
    }

    /// How many attempts there were so far.
    pub fn attempts(&self, runs: &[RoundRun]) -> usize {
        runs.iter().filter(|run| self.is_tried_by(run)).count()
    }

    /// Whether one of the attempts counts.
    pub fn counts(&self, runs: &[RoundRun]) -> bool {
        runs.iter().any(|run| self.is_tried_by(run) && run.void.is_none())
    }

    /// Whether it needs no further attempt.
    pub fn is_settled(&self, runs: &[RoundRun], most: usize) -> bool {
        self.counts(runs) || self.attempts(runs) >= most
    }

    /// When there are to be no more attempts and none of them counts: that with the fewest errors goes last.
    pub fn settle(&self, runs: &mut Vec<RoundRun>) {
        if self.counts(runs) {
            return;
        }
        let errors = |run: &RoundRun| get(&run.figures, "errors").unwrap_or(f64::INFINITY);
        let tried = (0..runs.len()).filter(|&index| self.is_tried_by(&runs[index]));
        let best = tried.min_by(|&one, &other| errors(&runs[one]).total_cmp(&errors(&runs[other])));
        if let Some(best) = best {
            let best = runs.remove(best);
            runs.push(best);
        }
    }
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
    use records::testing::run;

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

    #[test]
    fn a_run_is_tried_again_until_it_counts_or_the_budget_is_spent() {
        let attempt = |attempt: usize, void: Option<&str>, errors: f64| {
            let void = void.map(str::to_owned);
            let mut run = RoundRun { attempt, void, ..run(2, "pool of 4", 40.0) };
            run.figures.insert("errors".to_owned(), Some(errors));
            run
        };
        let entry = Entry { round: 2, variant: "pool of 4".to_owned() };
        let mut runs = vec![run(1, "pool of 4", 40.0), run(2, "control", 10.0)];
        assert!(!entry.is_settled(&runs, 3));
        runs.extend([attempt(1, Some("9 errors"), 9.0), attempt(2, Some("3 errors"), 3.0)]);
        assert!(!entry.is_settled(&runs, 3));
        let mut lucky = runs.clone();
        lucky.push(attempt(3, None, 0.0));
        assert!(entry.is_settled(&lucky, 3));
        let before = lucky.clone();
        entry.settle(&mut lucky);
        assert_eq!(lucky, before);
        // None counts, and the best one stands last.
        runs.push(attempt(3, Some("5 errors"), 5.0));
        assert!(entry.is_settled(&runs, 3));
        entry.settle(&mut runs);
        assert_eq!((runs.len(), runs[4].attempt, runs[4].void.is_some()), (5, 2, true));
    }
}
