//! Whether sessions come to the same conclusions. Their figures may differ; their verdicts should not, and where they
//! do, that is a finding.

use std::{collections::BTreeMap, fmt};

use anyhow::{Result, ensure};
use records::{
    description::Experiment,
    log::{Conclusions, Session},
    verdict::{Finding, Verdict},
};

use crate::text::{ABSENT, code, day, plain, ratio_words, table};

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

/// Compares all experiments that both sessions hold, by the margins of the descriptions, or where there is none any
/// more by that of the first session. Fails when they have no experiment in common.
pub fn compare(
    first: &Session,
    second: &Session,
    described: &BTreeMap<String, Experiment>,
) -> Result<Vec<Comparison>> {
    let experiments = first.experiments.iter();
    let both =
        experiments.filter_map(|(name, one)| Some((name, one, second.experiments.get(name)?)));
    let comparison = |(name, one, other): (&String, &Conclusions, &Conclusions)| {
        let margin = described.get(name).map(|it| it.margin.part());
        let margin = margin.unwrap_or(one.margin_percent / 100.0);
        let pairs = one.findings.iter().filter_map(|first| Some((first, other.like(first)?)));
        let pairs: Vec<(&Finding, &Finding)> = pairs.collect();
        let differ = pairs
            .iter()
            .filter(|(one, other)| conclusion(one, margin) != conclusion(other, margin));
        let difference = |&(first, second): &(&Finding, &Finding)| Difference {
            first: first.clone(),
            second: second.clone(),
            margin,
        };
        let differences = differ.map(difference).collect();
        Comparison { name: name.clone(), compared: pairs.len(), differences }
    };
    let compared: Vec<Comparison> = both.map(comparison).collect();
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
fn controls(session: &Session) -> [usize; 2] {
    let all = session.experiments.values();
    let verdict = |it: &Conclusions| Some(it.control.as_ref()?.verdict(it.margin_percent / 100.0));
    let verdicts: Vec<Verdict> = all.filter_map(verdict).collect();
    let differs = |it: &&Verdict| matches!(it, Verdict::Differs | Verdict::DiffersByLess(_));
    [verdicts.len(), verdicts.iter().filter(differs).count()]
}

/// Every session in a row, the book's own last, and below it what contradicts the book.
/// Fails when a session has no experiment in common with the book's.
pub fn sessions(
    log: &[(String, Session)],
    ours: &Session,
    described: &BTreeMap<String, Experiment>,
) -> Result<String> {
    let mut rows = Vec::new();
    let mut contradictions = Vec::new();
    for (name, session) in log {
        let compared = compare(ours, session, described)?;
        let Total { compared: all, same, contradictions: against } = Total::of(&compared);
        let counts = [all, same, all - same - against, against];
        rows.push(row(name, session, described, Some(counts)));
        contradictions.extend(against_us(name, &compared));
    }
    rows.push(row("this book", ours, described, None));
    let headings = [
        "Session",
        "Days",
        "Machine",
        "Experiments",
        "By other margins",
        "In both",
        "The same",
        "Overlap",
        "Contradict",
        "Controls that differ",
    ];
    let mut text = table(&headings, &["Days", "Machine"], rows).trim_end().to_owned();
    for (name, session) in log.iter().filter(|(_, session)| !session.note.is_empty()) {
        text += &format!("\n\n{}: {}", code(name), session.note);
    }
    if !contradictions.is_empty() {
        let headings = ["Session", "Experiment", "Contrast", "This book", "That session"];
        text += "\n\n";
        text += table(&headings, &headings, contradictions).trim_end();
    }
    Ok(text)
}

/// A session in the table; with how many contrasts are in both, agree, differ with overlapping intervals, contradict.
fn row(
    name: &str,
    session: &Session,
    described: &BTreeMap<String, Experiment>,
    counts: Option<[usize; 4]>,
) -> Vec<String> {
    let [all, differing] = controls(session);
    let days = match (day(&session.started), day(&session.finished)) {
        (first, last) if first == last => first.to_owned(),
        (first, last) => format!("{first} to {last}"),
    };
    let machines = session.machines.iter().map(|machine| {
        plain(&format!("{}, {}", machine.name(), machine.kernel.as_deref().unwrap_or("")))
    });
    let has_other_margin = |(name, it): &(&String, &Conclusions)| {
        described.get(*name).is_some_and(|now| now.margin.percent != it.margin_percent)
    };
    let other_margins = session.experiments.iter().filter(has_other_margin).count();
    let counts = match counts {
        Some(counts) => counts.map(|count| count.to_string()),
        None => [ABSENT; 4].map(str::to_owned),
    };
    let experiments = [session.experiments.len(), other_margins].map(|count| count.to_string());
    let mut row = vec![code(name), days, machines.collect::<Vec<_>>().join("; ")];
    row.extend(experiments.into_iter().chain(counts));
    row.push(format!("{differing} of {all}"));
    row
}

/// A row for each contrast that this session sees otherwise, with an interval that has nothing in common with ours.
fn against_us(session: &str, compared: &[Comparison]) -> Vec<Vec<String>> {
    let differences =
        compared.iter().flat_map(|it| it.differences.iter().map(move |one| (it, one)));
    let against = differences.filter(|(_, difference)| difference.contradicts());
    let row = |(it, Difference { first, second, margin }): (&Comparison, &Difference)| {
        let both = format!("{} / {}", plain(&first.of), plain(&first.to));
        vec![code(session), code(&it.name), both, told(first, *margin), told(second, *margin)]
    };
    against.map(row).collect()
}

#[cfg(test)]
mod tests {
    use records::testing::{pool, record};

    use super::*;
    use crate::testing::{has, session};

    #[test]
    fn what_counts_is_the_verdict_and_its_direction() {
        let equal: &[f64] = &[10.0, 10.1, 9.9, 10.0, 10.2];
        let same: &[f64] = &[10.1, 10.0, 10.0, 9.9, 10.1];
        let double: &[f64] = &[20.0, 20.4, 19.0, 21.0, 20.3];
        let triple: &[f64] = &[30.0, 31.0, 29.0, 30.2, 30.3];
        let half: &[f64] = &[5.0, 5.1, 4.9, 5.2, 5.0];
        let with = |b: &[f64]| session(&record(&[("a", equal), ("b", b), ("control", same)]));
        let compared = |first: &[f64], second: &[f64]| {
            compare(&with(first), &with(second), &BTreeMap::new()).unwrap()
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
        assert_eq!(controls(&with(double)), [1, 0]);
        let loud = record(&[("a", equal), ("b", double), ("control", triple)]);
        assert_eq!(controls(&session(&loud)), [1, 1]);
        let none = compare(&Session::default(), &Session::default(), &BTreeMap::new());
        has(&none.unwrap_err().to_string(), &["no experiment in common"]);
    }

    #[test]
    fn a_session_that_dissents_is_counted_and_shown() {
        let with = |of_four: f64| {
            let mut record = pool();
            for run in record.runs.iter_mut().filter(|run| run.variant == "pool of 4") {
                run.figures.values_mut().flatten().for_each(|rate| *rate *= of_four);
            }
            session(&record)
        };
        let mut other = with(0.25);
        other.note = "It ran elsewhere.".to_owned();
        let log = [("same".to_owned(), with(1.0)), ("other".to_owned(), other)];
        let parts = [
            "| `same` | 2025-01-02 | A \\<Processor\\> \\& Co, Linux 6 | 1 | 0 | 1 | 1 | 0 | 0 | 0 of 1 |",
            "| 1 | 0 | 1 | 0 | 0 | 1 | 0 of 1 |",
            "`other`: It ran elsewhere.",
            "| `other` | `pool-law` | pool of 4 / pool of 1 | differs (3.99 times, ",
            "| equal within 5% (",
        ];
        has(&sessions(&log, &with(1.0), &BTreeMap::new()).unwrap(), &parts);
    }
}
