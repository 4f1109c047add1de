//! Whether two sessions come to the same conclusions. Their figures may differ; their verdicts should not.

use std::{collections::BTreeMap, fmt};

use anyhow::{Result, ensure};
use base::significant;
use records::{
    sessions::{Records, Set},
    store::{Record, machine_name},
    summary::{Line, Verdict},
};

/// What two records of one experiment conclude.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The experiment.
    pub name: String,
    /// How many variants have a verdict in both.
    pub compared: usize,
    /// Those whose verdicts differ.
    pub differences: Vec<Difference>,
    /// What else was not alike, in words: the machine, or the description. By another description it is another
    /// experiment, so none of its verdicts are compared.
    pub unlike: Vec<String>,
}

/// A variant of which two sessions say different things.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The variant.
    pub variant: String,
    /// What the first session found, in words.
    pub first: String,
    /// What the second one found.
    pub second: String,
    /// Whether the two contradict each other: the intervals of their ratios have nothing in common. Where they
    /// overlap, one session was merely too restless to see what the other one saw.
    pub contradicts: bool,
}

impl fmt::Display for Difference {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { variant, first, second, contradicts } = self;
        let intervals = if *contradicts { "have nothing in common" } else { "overlap" };
        write!(
            text,
            "{variant}: {first}, and the second time {second}; their intervals {intervals}"
        )
    }
}

/// All comparisons of two sessions, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// How many variants have a verdict in both.
    pub compared: usize,
    /// How many of these verdicts are the same.
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
            contradictions: differences().filter(|it| it.contradicts).count(),
        }
    }
}

impl Comparison {
    fn of(name: &str, first: Set, second: Set) -> Comparison {
        let (one, other) = (first.record, second.record);
        let mut comparison = Comparison {
            name: name.to_owned(),
            compared: 0,
            differences: Vec::new(),
            unlike: unlike(one, other),
        };
        if one.experiment != other.experiment {
            return comparison;
        }
        for line in first.summary.lines.iter().filter(|line| has_verdict(line)) {
            let other = second.summary.line(&line.name).filter(|line| has_verdict(line));
            let Some(other) = other else { continue };
            comparison.compared += 1;
            if conclusion(line) != conclusion(other) {
                let overlap = match (line.ratio, other.ratio) {
                    (Some(one), Some(other)) => one.low <= other.high && other.low <= one.high,
                    _ => false,
                };
                comparison.differences.push(Difference {
                    variant: line.name.clone(),
                    first: words(line),
                    second: words(other),
                    contradicts: !overlap,
                });
            }
        }
        comparison
    }
}

/// Compares all experiments that both sessions hold.
///
/// # Errors
/// When they have no experiment in common.
pub fn compare(first: &Records, second: &Records) -> Result<Vec<Comparison>> {
    let both = first.all().filter_map(|(name, set)| Some((name, set, second.get(name)?)));
    let compared: Vec<Comparison> =
        both.map(|(name, first, second)| Comparison::of(name, first, second)).collect();
    ensure!(
        !compared.is_empty(),
        "{} and {} have no experiment in common: `cargo xtask bench --out DIR` measures them",
        first.folder().display(),
        second.folder().display()
    );
    Ok(compared)
}

/// What was not alike, in words, with the experiments in which it was not.
pub fn unlike_by_words(comparisons: &[Comparison]) -> BTreeMap<&str, Vec<&str>> {
    let mut unlike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for it in comparisons {
        it.unlike.iter().for_each(|words| unlike.entry(words).or_default().push(&it.name));
    }
    unlike
}

/// Where two records were not made alike, in words.
fn unlike(first: &Record, second: &Record) -> Vec<String> {
    let mut words = Vec::new();
    if first.experiment != second.experiment {
        words.push("the description has changed in between, so nothing was compared".to_owned());
    }
    if first.quick != second.quick {
        words.push("one of the two is a sketch, shortened with --quick".to_owned());
    }
    let told = |record: &Record| {
        let kernel = record.machine.kernel.clone().unwrap_or_default();
        [machine_name(record), kernel, record.rustc.clone()]
    };
    let pairs = told(first).into_iter().zip(told(second));
    for (what, (first, second)) in ["processor", "kernel", "compiler"].into_iter().zip(pairs) {
        if first != second {
            words.push(format!("the {what} was {first}, and the second time {second}"));
        }
    }
    words
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
    use records::{summary::Summary, testing::record};

    use super::*;
    use crate::testing::has;

    fn of(first: &Record, second: &Record) -> Comparison {
        let [one, other] = [first, second].map(Summary::of);
        let (first, second) =
            (Set { record: first, summary: &one }, Set { record: second, summary: &other });
        Comparison::of("x", first, second)
    }

    #[test]
    fn what_counts_is_the_verdict_and_its_direction() {
        let equal: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let same: &[f64] = &[10.1, 10.0, 10.0, 9.9, 10.1];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let triple: &[f64] = &[30.0, 31.0, 29.0, 30.2, 30.3];
        let half: &[f64] = &[5.0, 5.1, 4.9, 5.2, 5.0];
        let with = |b: &[f64]| record(&[("a", equal), ("b", b), ("control", same)]);
        let differences = |first: &[f64], second: &[f64]| {
            let compared = of(&with(first), &with(second));
            assert_eq!(compared.compared, 2);
            compared.differences
        };
        assert!(differences(double, triple).is_empty());
        assert!(differences(same, equal).is_empty());
        let found = differences(double, same);
        assert_eq!(found.len(), 1);
        let found = found[0].to_string();
        assert!(found.starts_with("b: a difference (2."), "{found}");
        has(&found, &["the second time no difference found"]);
        assert!(found.ends_with("have nothing in common"), "{found}");
        assert_eq!(differences(double, half).len(), 1);
        // One bad round, and the same is no difference any more.
        let spoilt: &[f64] = &[20.0, 20.4, 19.0, 21.0, 9.0];
        let compared = of(&with(double), &with(spoilt));
        assert!(compared.differences[0].to_string().ends_with("overlap"), "{compared:?}");
        assert_eq!(Total::of(&[compared]), Total { compared: 2, same: 1, contradictions: 0 });
    }

    #[test]
    fn it_says_what_was_not_alike() {
        let rates: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let first = record(&[("a", rates), ("b", double)]);
        assert_eq!(of(&first, &first).unlike, [""; 0]);
        let mut elsewhere = first.clone();
        elsewhere.machine.kernel = Some("Another 1.2".to_owned());
        let compared = of(&first, &elsewhere);
        assert_eq!((compared.compared, compared.unlike.len()), (1, 1));
        assert!(compared.unlike[0].ends_with(", and the second time Another 1.2"), "{compared:?}");
        // With another baseline the ratios mean something else.
        let mut changed = first.clone();
        changed.experiment.baseline = Some("b".to_owned());
        let compared = of(&first, &changed);
        assert_eq!((compared.compared, compared.differences.len()), (0, 0));
        assert!(compared.unlike[0].contains("nothing was compared"), "{compared:?}");
    }

    #[test]
    fn folders_without_a_common_experiment_are_refused() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [one, two] = [one, two].map(|folder| Records::read(folder.path()).unwrap());
        let error = compare(&one, &two).unwrap_err();
        assert!(error.to_string().contains("no experiment in common"), "{error}");
    }
}
