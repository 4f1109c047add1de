//! Whether two sessions come to the same conclusions. Their figures may differ; their verdicts should not.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{
    store::{self, Record},
    summary::{Line, Summary, Verdict},
};
use crate::{evidence::machine_name, significant};

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
    /// What was not alike besides, in words: the machine, or the description. By another description it is another
    /// experiment, so none of its verdicts are compared.
    pub unlike: Vec<String>,
}

impl Comparison {
    fn of(name: &str, first: &Record, second: &Record) -> Comparison {
        let mut comparison = Comparison {
            name: name.to_owned(),
            compared: 0,
            differences: Vec::new(),
            contradictions: 0,
            unlike: unlike(first, second),
        };
        if first.experiment != second.experiment {
            return comparison;
        }
        let (first, second) = (Summary::of(name, first), Summary::of(name, second));
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

/// Where two records were not made alike, in words.
fn unlike(first: &Record, second: &Record) -> Vec<String> {
    let mut words = Vec::new();
    if first.experiment != second.experiment {
        words.push("the description has changed in between, so nothing was compared".to_owned());
    }
    if first.quick != second.quick {
        words.push("one of the two is a sketch, shortened with --quick".to_owned());
    }
    let processor = |record: &Record| machine_name(record);
    let kernel = |record: &Record| record.machine.kernel.clone().unwrap_or_default();
    let compiler = |record: &Record| record.rustc.clone();
    let told: [(&str, &dyn Fn(&Record) -> String); 3] =
        [("processor", &processor), ("kernel", &kernel), ("compiler", &compiler)];
    for (what, of) in told {
        let (first, second) = (of(first), of(second));
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
    fn it_says_what_was_not_alike() {
        let rates: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let first = record(&[("a", rates), ("b", double)]);
        assert_eq!(Comparison::of("x", &first, &first).unlike, [""; 0]);
        let mut elsewhere = first.clone();
        elsewhere.machine.kernel = Some("Another 1.2".to_owned());
        let compared = Comparison::of("x", &first, &elsewhere);
        assert_eq!((compared.compared, compared.unlike.len()), (1, 1));
        assert!(compared.unlike[0].ends_with(", and the second time Another 1.2"), "{compared:?}");
        // With another baseline the ratios mean something else.
        let mut changed = first.clone();
        changed.experiment.baseline = Some("b".to_owned());
        let compared = Comparison::of("x", &first, &changed);
        assert_eq!((compared.compared, &compared.differences[..]), (0, &[][..]));
        assert!(compared.unlike[0].contains("nothing was compared"), "{compared:?}");
    }

    #[test]
    fn folders_without_a_common_experiment_are_refused() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let error = compare(one.path(), two.path()).unwrap_err();
        assert!(error.to_string().contains("no experiment in common"), "{error}");
    }
}
