//! Whether two sessions come to the same conclusions. Their figures may differ; their verdicts should not.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{
    store::{self, Record},
    summary::{Line, Summary, Verdict},
};
use crate::significant;

/// What two records of one experiment conclude.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The experiment.
    pub name: String,
    /// How many variants have a verdict in both.
    pub compared: usize,
    /// Those whose verdicts differ, in words.
    pub differences: Vec<String>,
    /// How many of these contradict each other: the intervals of their ratios have nothing in common. Where they
    /// overlap, one session was merely too restless to see what the other one saw.
    pub contradictions: usize,
}

impl Comparison {
    fn of(name: &str, first: &Record, second: &Record) -> Comparison {
        let (first, second) = (Summary::of(name, first), Summary::of(name, second));
        let mut comparison = Comparison {
            name: name.to_owned(),
            compared: 0,
            differences: Vec::new(),
            contradictions: 0,
        };
        for line in first.lines.iter().filter(|line| has_verdict(line)) {
            let Some(other) = second.line(&line.name).filter(|line| has_verdict(line)) else {
                continue;
            };
            comparison.compared += 1;
            if conclusion(line) != conclusion(other) {
                let overlap = match (line.ratio, other.ratio) {
                    (Some(one), Some(other)) => one.low <= other.high && other.low <= one.high,
                    _ => false,
                };
                comparison.contradictions += usize::from(!overlap);
                comparison.differences.push(format!(
                    "{}: {}, and the second time {}; their intervals {}",
                    line.name,
                    words(line),
                    words(other),
                    if overlap { "overlap" } else { "have nothing in common" }
                ));
            }
        }
        comparison
    }
}

/// Compares all experiments that both folders hold, as `bench` writes them.
///
/// # Errors
/// When a record can't be read, or the folders have no experiment in common.
pub fn compare(first: &Path, second: &Path) -> Result<Vec<Comparison>> {
    let (ours, theirs) = (store::read_all(first)?, store::read_all(second)?);
    let both = ours.iter().filter_map(|(name, record)| Some((name, record, theirs.get(name)?)));
    let compared: Vec<Comparison> =
        both.map(|(name, first, second)| Comparison::of(name, first, second)).collect();
    ensure!(
        !compared.is_empty(),
        "{} and {} have no experiment in common: `cargo xtask bench --only experiments --out DIR` measures them",
        first.display(),
        second.display()
    );
    Ok(compared)
}

fn has_verdict(line: &Line) -> bool {
    matches!(line.verdict, Verdict::Difference | Verdict::NoDifference)
}

/// Whether it differs, and in which direction.
fn conclusion(line: &Line) -> Option<bool> {
    let is_more = line.ratio.is_some_and(|ratio| ratio.median > 1.0);
    (line.verdict == Verdict::Difference).then_some(is_more)
}

fn words(line: &Line) -> String {
    let times = line.ratio.map(|ratio| {
        let [median, low, high] = [ratio.median, ratio.low, ratio.high].map(significant);
        format!(" ({median} times, {low} to {high})")
    });
    format!("{}{}", line.verdict.words(), times.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{super::summary::tests::record, *};

    #[test]
    fn what_counts_is_the_verdict_and_its_direction() {
        let equal: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let same: &[f64] = &[10.1, 10.0, 10.0, 9.9, 10.1];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let triple: &[f64] = &[30.0, 31.0, 29.0, 30.2, 30.3];
        let half: &[f64] = &[5.0, 5.1, 4.9, 5.2, 5.0];
        let with = |b: &[f64]| record(&[("a", equal), ("b", b), ("control", same)]);
        let differences = |first: &[f64], second: &[f64]| {
            let compared = Comparison::of("x", &with(first), &with(second));
            assert_eq!(compared.compared, 2);
            compared.differences
        };
        assert!(differences(double, triple).is_empty());
        assert!(differences(same, equal).is_empty());
        let found = differences(double, same);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("b: a difference (2."), "{found:?}");
        assert!(found[0].contains("the second time no difference found"), "{found:?}");
        assert!(found[0].ends_with("have nothing in common"), "{found:?}");
        assert_eq!(differences(double, half).len(), 1);
        // One bad round, and the same is no difference any more.
        let spoilt: &[f64] = &[20.0, 20.4, 19.0, 21.0, 9.0];
        let compared = Comparison::of("x", &with(double), &with(spoilt));
        assert_eq!((compared.differences.len(), compared.contradictions), (1, 0));
        assert!(compared.differences[0].ends_with("overlap"), "{compared:?}");
    }

    #[test]
    fn folders_without_a_common_experiment_are_refused() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let error = compare(one.path(), two.path()).unwrap_err();
        assert!(error.to_string().contains("no experiment in common"), "{error}");
    }
}
