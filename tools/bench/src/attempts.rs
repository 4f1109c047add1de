//! The attempts at a run: how often it is tried, and which of them counts.

use records::store::RoundRun;

use crate::{figures::get, order::Entry};

/// How often a run is tried.
pub const ATTEMPTS: usize = 3;

/// The attempts at an entry so far.
pub fn attempts<'a>(
    runs: &'a [RoundRun],
    entry: &'a Entry,
) -> impl Iterator<Item = &'a RoundRun> + 'a {
    runs.iter().filter(|run| run.round == entry.round && run.variant == entry.variant)
}

/// Whether one of the attempts at an entry counts.
pub fn counts(runs: &[RoundRun], entry: &Entry) -> bool {
    attempts(runs, entry).any(|run| run.void.is_none())
}

/// Whether an entry needs no further attempt.
pub fn is_settled(runs: &[RoundRun], entry: &Entry, most: usize) -> bool {
    counts(runs, entry) || attempts(runs, entry).count() >= most
}

/// When there are to be no more attempts at an entry and none of them counts: that with the fewest errors goes last.
pub fn settle(runs: &mut Vec<RoundRun>, entry: &Entry) {
    if counts(runs, entry) {
        return;
    }
    let errors = |run: &RoundRun| get(&run.figures, "errors").unwrap_or(f64::INFINITY);
    let indices = (0..runs.len())
        .filter(|&index| runs[index].round == entry.round && runs[index].variant == entry.variant);
    let best = indices.min_by(|&one, &other| errors(&runs[one]).total_cmp(&errors(&runs[other])));
    if let Some(best) = best {
        let best = runs.remove(best);
        runs.push(best);
    }
}

#[cfg(test)]
mod tests {
    use records::testing::run;

    use super::*;
    use crate::figures::set;

    fn entry() -> Entry {
        Entry { round: 2, variant: "pool of 4".to_owned() }
    }

    fn attempt(number: usize, void: Option<&str>, errors: f64) -> RoundRun {
        let void = void.map(str::to_owned);
        let mut run = RoundRun { attempt: number, void, ..run(2, "pool of 4", 40.0) };
        set(&mut run.figures, "errors", errors);
        run
    }

    #[test]
    fn a_run_is_tried_again_until_it_counts_or_the_budget_is_spent() {
        let entry = entry();
        let mut runs = vec![run(1, "pool of 4", 40.0), run(2, "control", 10.0)];
        assert!(!is_settled(&runs, &entry, 3));
        runs.extend([attempt(1, Some("9 errors"), 9.0), attempt(2, Some("3 errors"), 3.0)]);
        assert!(!is_settled(&runs, &entry, 3));
        let mut lucky = runs.clone();
        lucky.push(attempt(3, None, 0.0));
        assert!(is_settled(&lucky, &entry, 3));
        let before = lucky.clone();
        settle(&mut lucky, &entry);
        assert_eq!(lucky, before);
        // None counts, and the best one stands last.
        runs.push(attempt(3, Some("5 errors"), 5.0));
        assert!(is_settled(&runs, &entry, 3));
        settle(&mut runs, &entry);
        assert_eq!((runs.len(), runs[4].attempt, runs[4].void.is_some()), (5, 2, true));
    }
}
