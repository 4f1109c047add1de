//! Draws the order of the runs, and decides which of them don't count.

use records::{base::number, store::RoundRun};

/// A variant, or [`CONTROL`](records::description::CONTROL), in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The round, counted from 1.
    pub round: usize,
    pub variant: String,
}

impl Entry {
    /// Tells whether it was run, with whatever result.
    pub fn was_run(&self, runs: &[RoundRun]) -> bool {
        runs.iter().any(|run| run.round == self.round && run.variant == self.variant)
    }
}

/// Draws the order of the runs: round by round, and within each all variants in an order that the seed fixes.
pub fn order(variants: &[&str], rounds: usize, seed: u64) -> Vec<Entry> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut order = Vec::new();
    for round in 1..=rounds {
        let mut variants = variants.to_vec();
        random.shuffle(&mut variants);
        for variant in variants {
            order.push(Entry { round, variant: variant.to_owned() });
        }
    }
    order
}

/// The share of errors above which a run is invalid.
const INVALID_SHARE: f64 = 0.001;

/// Returns the reason why a run is invalid, if its answers are wrong or missing. Their speed changes nothing.
pub fn invalid_reason(requests: f64, errors: f64, still_running: bool) -> Option<String> {
    if !still_running {
        return Some("the server ended during the run".to_owned());
    }
    if requests == 0.0 {
        return Some("not a single request was answered".to_owned());
    }
    let share = errors / requests;
    (share > INVALID_SHARE).then(|| {
        let [errors, requests] = [errors, requests].map(|count| number(count, 0));
        format!("{errors} errors in {requests} requests, {:.2}%", 100.0 * share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells whether the lower rate of the server comes first in a round.
    fn ascends(round: &[Entry]) -> bool {
        let rates: Vec<_> = round.iter().filter(|it| it.variant != "control").collect();
        rates[0].variant < rates[1].variant
    }

    #[test]
    fn the_seed_fixes_the_order_and_every_round_is_whole() {
        let variants = ["tokio, 10%", "tokio, 90%", "control"];
        let runs = order(&variants, 5, 7);
        assert_eq!(runs, order(&variants, 5, 7));
        assert_ne!(runs, order(&variants, 5, 8));
        for (index, round) in runs.chunks(3).enumerate() {
            let mut names: Vec<_> = round.iter().map(|entry| entry.variant.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, ["control", "tokio, 10%", "tokio, 90%"]);
            assert!(round.iter().all(|entry| entry.round == index + 1));
        }
        // The rates of a server ascend in some rounds and descend in others.
        let many = order(&variants, 20, 7);
        let ascending = many.chunks(3).filter(|round| ascends(round)).count();
        assert!((1..20).contains(&ascending), "{ascending} of 20 rounds");
        // A longer experiment begins as a shorter one does.
        assert_eq!(many[..15], runs);
    }

    #[test]
    fn the_rule_for_invalid_runs() {
        assert_eq!(invalid_reason(1000.0, 1.0, true), None);
        assert!(invalid_reason(1000.0, 2.0, true).unwrap().contains("2 errors in 1,000"));
        assert!(invalid_reason(0.0, 0.0, true).is_some());
        assert!(invalid_reason(1000.0, 0.0, false).unwrap().contains("ended"));
    }
}
