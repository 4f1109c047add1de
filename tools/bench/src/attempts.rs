//! The attempts at a run: how often it is tried, and which of them counts.

use records::store::RoundRun;

use crate::{figures::get, order::Entry};

/// How often a run is tried.
pub const ATTEMPTS: usize = 3;

/// How a run is void that only the machine disturbed.
pub const STALLED: &str = "the machine stalled: ";

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

/// Decides between the attempts at an entry when there are to be no more: of those that only the machine
/// disturbed, the one with the least stalls counts after all. The best one goes last.
pub fn settle(runs: &mut Vec<RoundRun>, entry: &Entry) {
    if counts(runs, entry) {
        return;
    }
    let only_stalled =
        |run: &RoundRun| run.void.as_ref().is_some_and(|void| void.starts_with(STALLED));
    let badness = |run: &RoundRun| {
        let size = if only_stalled(run) { "stall_share_percent" } else { "errors" };
        (!only_stalled(run), get(&run.figures, size).unwrap_or(f64::INFINITY))
    };
    let indices = (0..runs.len())
        .filter(|&index| runs[index].round == entry.round && runs[index].variant == entry.variant);
    let best = indices.min_by(|&one, &other| {
        let (one, other) = (badness(&runs[one]), badness(&runs[other]));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let Some(best) = best else { return };
    let mut best = runs.remove(best);
    if only_stalled(&best) {
        best.void = None;
    }
    runs.push(best);
}

#[cfg(test)]
mod tests {
    use records::testing::pool_run;

    use super::*;
    use crate::figures::set;

    fn entry() -> Entry {
        Entry { round: 2, variant: "pool of 4".to_owned() }
    }

    fn attempt(number: usize, void: Option<&str>, stalls: f64, errors: f64) -> RoundRun {
        let mut run = pool_run(2, "pool of 4", number, 40.0);
        run.void = void.map(str::to_owned);
        run.noisy = stalls > 5.0;
        set(&mut run.figures, "stall_share_percent", stalls);
        set(&mut run.figures, "errors", errors);
        run
    }

    #[test]
    fn a_run_is_tried_again_until_it_counts_or_the_budget_is_spent() {
        let entry = entry();
        let mut runs = vec![pool_run(1, "pool of 4", 1, 40.0), pool_run(2, "control", 1, 10.0)];
        assert!(!is_settled(&runs, &entry, 3));
        let stalled = format!("{STALLED}7 %");
        runs.push(attempt(1, Some("9 errors"), 1.0, 9.0));
        runs.push(attempt(2, Some(&stalled), 7.0, 0.0));
        assert!(!is_settled(&runs, &entry, 3));
        let mut lucky = runs.clone();
        lucky.push(attempt(3, None, 0.0, 0.0));
        assert!(is_settled(&lucky, &entry, 3));
        let before = lucky.clone();
        settle(&mut lucky, &entry);
        assert_eq!(lucky, before);

        // The least stalled attempt counts after all, as a noisy one, and stands last.
        runs.push(attempt(3, Some(&stalled), 8.0, 0.0));
        assert!(is_settled(&runs, &entry, 3));
        settle(&mut runs, &entry);
        let last = runs.last().unwrap();
        assert_eq!((last.attempt, last.noisy, &last.void), (2, true, &None));
        assert_eq!(runs.iter().filter(|run| run.void.is_some()).count(), 2);
        assert_eq!(runs.len(), 5);
    }

    #[test]
    fn of_attempts_with_errors_none_counts_and_the_best_stands_last() {
        let errors = [9.0, 3.0, 5.0].into_iter().zip(1..);
        let mut runs: Vec<RoundRun> =
            errors.map(|(errors, number)| attempt(number, Some("errors"), 0.0, errors)).collect();
        settle(&mut runs, &entry());
        assert_eq!((runs[2].attempt, runs[2].void.is_some()), (2, true));
    }
}
