//! Whether two sessions come to the same conclusions. Their figures may differ; their verdicts should not, and where
//! they do, that is a finding.

use std::{collections::BTreeMap, fmt};

use anyhow::{Result, ensure};
use records::{
    description::Experiment,
    log::Session,
    verdict::{Finding, Verdict},
};

use crate::text::ratio_words;

/// What two sessions conclude about one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The experiment.
    pub name: String,
    /// How many contrasts are in both.
    pub compared: usize,
    /// Those whose verdicts differ.
    pub differences: Vec<Difference>,
}

/// A contrast of which two sessions say different things.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the first session found.
    pub first: Finding,
    /// What the second one found.
    pub second: Finding,
    /// By which margin both were judged: 0.1 is 10%.
    pub margin: f64,
}

impl Difference {
    /// Whether the two contradict each other: the intervals of their ratios have nothing in common. Where they
    /// overlap, one session was merely too restless to see what the other one saw.
    pub fn contradicts(&self) -> bool {
        let both = self.first.ratio.zip(self.second.ratio);
        both.is_some_and(|(one, other)| !one.overlaps(other))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { first, second, margin } = self;
        let [one, other] = [first, second].map(|it| told(it, *margin));
        let intervals = if self.contradicts() { "have nothing in common" } else { "overlap" };
        let Finding { of, to, figure, .. } = first;
        write!(
            text,
            "{of} / {to}, {figure}: {one}, but the second time {other}; their intervals {intervals}"
        )
    }
}

/// A finding in words: the verdict, and in brackets the ratio with its interval.
pub fn told(finding: &Finding, margin: f64) -> String {
    let ratio = finding.ratio.as_ref().map(ratio_words);
    let ratio = ratio.map(|[median, low, high]| format!(" ({median} times, {low} to {high})"));
    format!("{}{}", finding.verdict(margin).words(), ratio.unwrap_or_default())
}

/// All comparisons of two sessions, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// How many contrasts are in both.
    pub compared: usize,
    /// How many of these have the same verdict.
    pub same: usize,
    /// How many of the others contradict each other.
    pub contradictions: usize,
}

impl Total {
    /// Counts them.
    pub fn of(comparisons: &[Comparison]) -> Total {
        let compared = comparisons.iter().map(|it| it.compared).sum();
        let differences = || comparisons.iter().flat_map(|it| &it.differences);
        Total {
            compared,
            same: compared - differences().count(),
            contradictions: differences().filter(|it| it.contradicts()).count(),
        }
    }
}

/// Compares all experiments that both sessions hold, by the margins of the descriptions, or where there is none any
/// more by that of the first session.
/// Fails when they have no experiment in common.
pub fn compare(
    first: &Session,
    second: &Session,
    described: &BTreeMap<String, Experiment>,
) -> Result<Vec<Comparison>> {
    let both = first
        .experiments
        .iter()
        .filter_map(|(name, one)| Some((name, one, second.experiments.get(name)?)));
    let compared: Vec<Comparison> = both
        .map(|(name, one, other)| {
            let margin = described.get(name).map(|it| it.margin.part());
            let margin = margin.unwrap_or(one.margin_percent / 100.0);
            let pairs = one.findings.iter().filter_map(|first| Some((first, other.like(first)?)));
            let pairs: Vec<_> = pairs.collect();
            let differ = pairs
                .iter()
                .filter(|(one, other)| conclusion(one, margin) != conclusion(other, margin));
            Comparison {
                name: name.clone(),
                compared: pairs.len(),
                differences: differ
                    .map(|(first, second)| Difference {
                        first: (*first).clone(),
                        second: (*second).clone(),
                        margin,
                    })
                    .collect(),
            }
        })
        .collect();
    ensure!(
        !compared.is_empty(),
        "the two have no experiment in common: `cargo xtask bench --out DIR` measures them"
    );
    Ok(compared)
}

/// The verdict and, where it is a difference, its direction.
fn conclusion(finding: &Finding, margin: f64) -> (&'static str, Option<bool>) {
    (finding.verdict(margin).name(), finding.side(margin))
}

/// How many controls a session has, and how many of them are said to differ from their equals.
pub fn controls(session: &Session) -> [usize; 2] {
    let controls = session.experiments.values().filter_map(|it| Some((it.control.as_ref()?, it)));
    let mut counts = [0; 2];
    for (control, conclusions) in controls {
        counts[0] += 1;
        let verdict = control.verdict(conclusions.margin_percent / 100.0);
        counts[1] += usize::from(matches!(verdict, Verdict::Differs | Verdict::DiffersByLess(_)));
    }
    counts
}

#[cfg(test)]
mod tests {
    use records::{
        sessions::Records,
        store::Record,
        testing::{record, write},
    };

    use super::*;

    fn session(record: &Record) -> Session {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "x", record);
        Session::of(&Records::read(folder.path()).unwrap(), &BTreeMap::new())
    }

    #[test]
    fn what_counts_is_the_verdict_and_its_direction() {
        let equal: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let same: &[f64] = &[10.1, 10.0, 10.0, 9.9, 10.1];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let triple: &[f64] = &[30.0, 31.0, 29.0, 30.2, 30.3];
        let half: &[f64] = &[5.0, 5.1, 4.9, 5.2, 5.0];
        let with = |b: &[f64]| session(&record(&[("a", equal), ("b", b), ("control", same)]));
        let differences = |first: &[f64], second: &[f64]| {
            let compared = compare(&with(first), &with(second), &BTreeMap::new()).unwrap();
            assert_eq!(compared[0].compared, 1);
            compared[0].differences.clone()
        };
        assert!(differences(double, triple).is_empty());
        assert!(differences(same, equal).is_empty());
        let found = differences(double, same);
        assert_eq!((found.len(), found[0].contradicts()), (1, true));
        let found = found[0].to_string();
        assert!(found.starts_with("b / a, requests_per_second: differs (2."), "{found}");
        assert!(found.contains("the second time equal within 5% ("), "{found}");
        assert!(found.ends_with("have nothing in common"), "{found}");
        assert_eq!(differences(double, half).len(), 1);
        // One bad round, and nobody can tell any more.
        let spoilt: &[f64] = &[20.0, 20.4, 19.0, 21.0, 9.0];
        let compared = compare(&with(double), &with(spoilt), &BTreeMap::new()).unwrap();
        assert!(compared[0].differences[0].to_string().ends_with("overlap"), "{compared:?}");
        assert_eq!(Total::of(&compared), Total { compared: 1, same: 0, contradictions: 0 });
        assert_eq!(controls(&with(double)), [1, 0]);
        let loud = record(&[("a", equal), ("b", double), ("control", triple)]);
        assert_eq!(controls(&session(&loud)), [1, 1]);
    }

    #[test]
    fn sessions_without_a_common_experiment_are_refused() {
        let error =
            compare(&Session::default(), &Session::default(), &BTreeMap::new()).unwrap_err();
        assert!(error.to_string().contains("no experiment in common"), "{error}");
    }
}
