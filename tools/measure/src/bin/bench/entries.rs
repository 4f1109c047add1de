//! The runs: in which order they are made, how often each is tried, when an attempt counts, and when it is noisy.

use records::{
    base::number,
    description::{NOISY_P99_MS, NOISY_SHARE_PERCENT, Setup},
    figures::Figures,
    store::RoundRun,
};

use crate::figures::{get, or_zero};

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

    /// Whether one of the attempts counts, or it lies beyond the end of its climb.
    pub fn is_done(&self, runs: &[RoundRun]) -> bool {
        self.counts(runs) || runs.iter().any(|run| self.is_tried_by(run) && run.is_too_far())
    }

    /// Whether it needs no further attempt.
    pub fn is_settled(&self, runs: &[RoundRun], most: usize) -> bool {
        self.is_done(runs) || self.attempts(runs) >= most
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

/// The order of the runs: round by round, and within each the groups in an order that the seed fixes; what a group names
/// stays together, in its order.
pub fn order(groups: &[Vec<&str>], rounds: usize, seed: u64) -> Vec<Entry> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut order = Vec::new();
    for round in 1..=rounds {
        let mut groups = groups.to_vec();
        random.shuffle(&mut groups);
        let entry = |variant: &str| Entry { round, variant: variant.to_owned() };
        order.extend(groups.concat().into_iter().map(entry));
    }
    order
}

/// A run with a larger share of errors is void.
const VOID_SHARE: f64 = 0.001;

/// Whether a run is noisy. It counts all the same, and is shown as one: what stalls the watching thread may be the
/// server itself, with ten thousand threads that start. An exact count does not mind who else uses the machine, and a
/// program that keeps all processors busy delays the watching thread itself.
pub fn is_noisy(figures: &Figures, setup: &Setup) -> bool {
    let minds_stalls = setup.count.is_none() && setup.busy != Some(true);
    let share = or_zero(figures, "stall_share_percent") > NOISY_SHARE_PERCENT;
    minds_stalls && (share || or_zero(figures, "stall_p99_ms") > NOISY_P99_MS)
}

/// Why a run does not count, if it does not: its answers are wrong or missing. How fast they are changes nothing.
pub fn void_reason(requests: f64, errors: f64, still_running: bool) -> Option<String> {
    if !still_running {
        return Some("the server ended during the run".to_owned());
    }
    if requests == 0.0 {
        return Some("not a single request was answered".to_owned());
    }
    let share = errors / requests;
    (share > VOID_SHARE).then(|| {
        let [errors, requests] = [errors, requests].map(|count| number(count, 0));
        format!("{errors} errors in {requests} requests, {:.2}%", 100.0 * share)
    })
}

#[cfg(test)]
mod tests {
    use records::{description::Count, testing::run};

    use super::*;
    use crate::figures::named;

    #[test]
    fn the_seed_fixes_the_order_and_every_round_is_whole() {
        let variants = ["pool of 1", "pool of 4", "control"].map(|name| vec![name]);
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
        // A climb stays together.
        let groups = [vec!["one, 10%", "one, 90%"], vec!["two, 10%", "two, 90%"]];
        let runs = order(&groups, 9, 7);
        let (climbs, _) = runs.as_chunks::<2>();
        assert!(climbs.iter().all(|[low, high]| low.variant[..5] == high.variant[..5]));
        assert!(climbs.iter().all(|[low, _]| low.variant.ends_with("10%")));
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
        // What lies beyond the end of a climb is not tried again.
        let mut beyond = runs.clone();
        beyond.push(attempt(3, Some("the climb ended: the generator used 80% of its CPUs"), 0.0));
        assert!(entry.is_settled(&beyond, 9) && !entry.is_settled(&runs, 9));
        // None counts, and the best one stands last.
        runs.push(attempt(3, Some("5 errors"), 5.0));
        assert!(entry.is_settled(&runs, 3));
        entry.settle(&mut runs);
        assert_eq!((runs.len(), runs[4].attempt, runs[4].void.is_some()), (5, 2, true));
    }

    #[test]
    fn the_rule_for_noise() {
        let is_noisy = |share, p99, setup: &Setup| {
            let stalls = [("stall_share_percent", Some(share)), ("stall_p99_ms", Some(p99))];
            is_noisy(&named(stalls), setup)
        };
        let server = Setup::default();
        assert!(!is_noisy(5.0, 20.0, &server));
        assert!(is_noisy(5.1, 0.0, &server) && is_noisy(0.0, 20.5, &server));
        assert!(!is_noisy(5.1, 0.0, &Setup { busy: Some(true), ..Setup::default() }));
        assert!(!is_noisy(5.1, 0.0, &Setup { count: Some(Count::Instructions), ..server }));
    }

    #[test]
    fn the_rule_for_void_runs() {
        assert_eq!(void_reason(1000.0, 1.0, true), None);
        assert!(void_reason(1000.0, 2.0, true).unwrap().contains("2 errors in 1,000"));
        assert!(void_reason(0.0, 0.0, true).is_some());
        assert!(void_reason(1000.0, 0.0, false).unwrap().contains("ended"));
    }
}
