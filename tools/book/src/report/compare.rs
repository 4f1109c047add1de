//! Whether sessions come to the same conclusions. Their figures may differ; their verdicts should not, and where they
//! do, that is a finding.

use std::fmt;

use anyhow::{Result, ensure};
use records::{
    measured::{Records, Set},
    verdict::Finding,
};

use crate::report::text::ratio_words;

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
fn told(finding: &Finding, margin: f64) -> String {
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

/// Compares all experiments that both sessions hold. Fails when they have no experiment in common.
pub fn compare(first: &Records, second: &Records) -> Result<Vec<Comparison>> {
    let both = first.all().filter_map(|(name, one)| Some((name, one, second.get(name)?)));
    let compared: Vec<Comparison> = both.map(|(name, one, other)| of(name, one, other)).collect();
    ensure!(
        !compared.is_empty(),
        "the two have no experiment in common: `cargo xtask bench --out DIR` measures them"
    );
    Ok(compared)
}

/// Compares one experiment, by the margin of its description.
fn of(name: &str, one: Set, other: Set) -> Comparison {
    let margin = one.record.experiment.margin.part();
    let mut compared = 0;
    let mut differences = Vec::new();
    for first in &one.summary.findings {
        let about = |it: &Finding| [it.of.clone(), it.to.clone(), it.figure.clone()];
        let like = other.summary.findings.iter().find(|it| about(it) == about(first));
        let Some(second) = like else { continue };
        compared += 1;
        if conclusion(first, margin) != conclusion(second, margin) {
            let (first, second) = (first.clone(), second.clone());
            differences.push(Difference { first, second, margin });
        }
    }
    Comparison { name: name.to_owned(), compared, differences }
}

/// The verdict and, where it is a difference, its direction.
fn conclusion(finding: &Finding, margin: f64) -> (&'static str, Option<bool>) {
    (finding.verdict(margin).name(), finding.side(margin))
}

#[cfg(test)]
mod tests {
    use records::testing::record;

    use super::*;
    use crate::report::testing::{has, with};

    #[test]
    fn what_counts_is_the_verdict_and_its_direction() {
        let equal: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let same: &[f64] = &[10.1, 10.0, 10.0, 9.9, 10.1];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let triple: &[f64] = &[30.0, 31.0, 29.0, 30.2, 30.3];
        let half: &[f64] = &[5.0, 5.1, 4.9, 5.2, 5.0];
        let of = |b: &[f64]| record(&[("a", equal), ("b", b), ("control", same)]);
        let compared = |first: &[f64], second: &[f64]| {
            with(&of(first), Some(&of(second)), |it| compare(it.ours, it.yours.unwrap()).unwrap())
        };
        // Of one contrast: whether it differs, and whether the two contradict each other.
        for (first, second, same, contradictions) in [
            (double, triple, 1, 0),
            (same, equal, 1, 0),
            (double, same, 0, 1),
            (double, half, 0, 1),
        ] {
            let total = Total::of(&compared(first, second));
            assert_eq!(total, Total { compared: 1, same, contradictions });
        }
        let found = compared(double, same)[0].differences[0].to_string();
        assert!(found.starts_with("b / a, requests_per_second: differs (2."), "{found}");
        has(&found, &["the second time equal within 5% ("]);
        assert!(found.ends_with("have nothing in common"), "{found}");
        // One bad round, and nobody can tell any more.
        let spoilt = compared(double, &[20.0, 20.4, 19.0, 21.0, 9.0]);
        assert!(spoilt[0].differences[0].to_string().ends_with("overlap"), "{spoilt:?}");
        assert_eq!(Total::of(&spoilt), Total { compared: 1, same: 0, contradictions: 0 });
        let none = compare(&Records::default(), &Records::default());
        has(&none.unwrap_err().to_string(), &["no experiment in common"]);
    }
}
