//! What the rounds of an experiment come to: of each variant the median and the spread, of each contrast the verdict.
//!
//! A run counts if it is not void; of several attempts in a round the last that counts is taken. A run beyond the end of
//! its climb doesn't count either, but nothing went wrong in it: its round is whole without it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    description::{CONTROL, Contrast, Law},
    stats,
    store::{Record, RoundRun},
    verdict::{Finding, depends_on_generator},
};

/// A record in numbers, by its own metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The variants in the order of the description; the control, if there is one, comes last.
    pub lines: Vec<Line>,
    /// The declared contrasts in their order.
    pub findings: Vec<Finding>,
    /// The control against its equal, the baseline; `None` where there is no control.
    pub control: Option<Finding>,
    /// The rounds in which every variant has a run that counts, or lies beyond the end of its climb.
    pub whole_rounds: usize,
    /// The runs that count.
    pub counted: usize,
    /// How many of these the machine disturbed.
    pub noisy: usize,
    /// From how many of these the host took CPU time.
    pub stolen: usize,
    /// The runs that do not count, because something went wrong.
    pub voids: usize,
    /// The runs beyond the end of a climb.
    pub beyond: usize,
}

/// What the rounds say about one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The variant, or [`CONTROL`].
    pub name: String,
    /// The metric over the rounds; `None` where no run counts.
    pub metric: Option<Spread>,
    /// What arithmetic predicts.
    pub law: Option<Law>,
    /// The runs that count.
    pub counted: usize,
    /// How many of these the machine disturbed.
    pub noisy: usize,
    /// From how many of these the host took CPU time.
    pub stolen: usize,
    /// In how many of these the generator had no processor time left, so that the metric is the generator's.
    pub saturated: usize,
    /// The runs that do not count, because something went wrong.
    pub voids: usize,
    /// The runs beyond the end of a climb.
    pub beyond: usize,
    /// Whether the metric was counted, and is the same in all of several rounds.
    pub exact: bool,
}

/// The middle of some values, and how far they reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub greatest: f64,
}

impl Spread {
    /// Of these values; `None` where there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let least = values.iter().copied().min_by(f64::total_cmp)?;
        let greatest = values.iter().copied().max_by(f64::total_cmp)?;
        Some(Spread { median: stats::median(values)?, least, greatest })
    }
}

impl Record {
    /// The variants as their results are listed: those of the description, then the control.
    pub fn names(&self) -> Vec<&str> {
        self.experiment.entries()
    }

    /// The runs of a variant that lie beyond the end of its climb.
    fn beyond(&self, variant: &str) -> impl Iterator<Item = &RoundRun> {
        self.runs.iter().filter(move |run| run.variant == variant && run.is_too_far())
    }

    /// The rounds in which nothing of a variant is missing.
    fn rounds_of(&self, variant: &str) -> BTreeSet<usize> {
        let counted = self.counted(variant).into_keys();
        counted.chain(self.beyond(variant).map(|run| run.round)).collect()
    }
}

impl Line {
    fn of(record: &Record, variant: &str) -> Line {
        let experiment = &record.experiment;
        let counted = record.counted(variant);
        let values: Vec<f64> = record.values(variant, &experiment.metric).into_values().collect();
        let is_void = |run: &&RoundRun| run.variant == variant && run.void.is_some();
        let beyond = record.beyond(variant).count();
        Line {
            name: variant.to_owned(),
            metric: Spread::of(&values),
            law: experiment.variant(variant).and_then(|variant| variant.law.clone()),
            counted: counted.len(),
            noisy: counted.values().filter(|run| run.noisy).count(),
            stolen: counted.values().filter(|run| record.is_stolen(run)).count(),
            saturated: match depends_on_generator(&experiment.metric) {
                true => record.saturated(variant),
                false => 0,
            },
            voids: record.runs.iter().filter(is_void).count() - beyond,
            beyond,
            exact: record.is_exact(variant, &experiment.metric),
        }
    }
}

impl Summary {
    /// Works out what a record says.
    pub fn of(record: &Record) -> Summary {
        let experiment = &record.experiment;
        let names = record.names();
        let lines: Vec<Line> = names.iter().map(|variant| Line::of(record, variant)).collect();
        let mut by_round: BTreeMap<usize, usize> = BTreeMap::new();
        for round in names.iter().flat_map(|variant| record.rounds_of(variant)) {
            *by_round.entry(round).or_default() += 1;
        }
        let findings = experiment.contrasts.iter();
        Summary {
            findings: findings.map(|contrast| record.finding(contrast)).collect(),
            control: experiment
                .control
                .then(|| record.finding(&Contrast::between(CONTROL, experiment.baseline()))),
            whole_rounds: by_round.values().filter(|count| **count == names.len()).count(),
            counted: lines.iter().map(|line| line.counted).sum(),
            noisy: lines.iter().map(|line| line.noisy).sum(),
            stolen: lines.iter().map(|line| line.stolen).sum(),
            voids: lines.iter().map(|line| line.voids).sum(),
            beyond: lines.iter().map(|line| line.beyond).sum(),
            lines,
        }
    }

    /// Whether all that was measured is exact.
    pub fn is_exact(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| line.exact)
    }

    /// What is said about this variant.
    pub fn line(&self, variant: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{record, run};

    #[test]
    fn medians_and_spreads_are_those_of_the_values() {
        assert_eq!(Spread::of(&[]), None);
        let spread = |values: &[f64]| {
            let spread = Spread::of(values).unwrap();
            (spread.median, spread.least, spread.greatest)
        };
        assert_eq!(spread(&[4.0]), (4.0, 4.0, 4.0));
        assert_eq!(spread(&[3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert_eq!(spread(&[3.0, 1.0, 2.0, 10.0]), (2.5, 1.0, 10.0));
    }

    #[test]
    fn a_void_run_gives_way_to_a_later_attempt() {
        let mut record = record(&[("a", &[10.0, 20.0]), ("b", &[5.0, 5.0])]);
        record.runs[0].void = Some("errors".to_owned());
        let mut again = run(1, "a", 12.0);
        again.attempt = 2;
        record.runs.push(again);
        record.runs[2].void = Some("errors".to_owned());
        let values = record.values("a", "requests_per_second");
        assert_eq!(values.into_iter().collect::<Vec<_>>(), [(1, 12.0), (2, 20.0)]);
        assert_eq!(record.ratios("a", "b", "requests_per_second"), [4.0]);
        let summary = Summary::of(&record);
        assert_eq!((summary.voids, summary.counted, summary.whole_rounds), (2, 3, 1));
        assert_eq!(summary.stolen, 0);
        assert_eq!(summary.line("b").unwrap().voids, 1);
    }

    #[test]
    fn a_round_in_which_a_climb_ended_is_whole() {
        let mut record = record(&[("a", &[10.0, 20.0]), ("b", &[5.0, 5.0])]);
        record.runs[2].void = Some(format!("{}the generator used 71%", crate::store::TOO_FAR));
        let told = |record: &Record| {
            let summary = Summary::of(record);
            (summary.whole_rounds, summary.voids, summary.beyond, summary.counted)
        };
        assert_eq!(told(&record), (2, 0, 1, 3));
        record.runs[3].void = Some("errors".to_owned());
        assert_eq!(told(&record), (1, 1, 1, 2));
        let line = Summary::of(&record).line("b").cloned().unwrap();
        assert_eq!((line.voids, line.beyond, line.metric), (1, 1, None));
    }

    #[test]
    fn a_run_from_which_the_host_took_time_is_counted() {
        let mut record = record(&[("a", &[10.0, 20.0]), ("b", &[5.0, 5.0])]);
        for (run, stolen) in record.runs.iter_mut().zip([0.02, 0.03, 0.03]) {
            let held = [("duration_seconds", 2.0), ("steal_seconds", stolen)];
            run.figures.extend(held.map(|(name, value)| (name.to_owned(), Some(value))));
        }
        let stolen = |record: &Record| {
            let summary = Summary::of(record);
            (summary.stolen, summary.line("a").unwrap().stolen)
        };
        assert_eq!(stolen(&record), (2, 1));
    }

    #[test]
    fn contrasts_and_the_control_have_findings() {
        let rates: [(&str, &[f64]); 3] =
            [("a", &[10.0; 5]), ("b", &[20.0; 5]), (CONTROL, &[10.0; 5])];
        let mut record = record(&rates);
        let told = |record: &Record| {
            let summary = Summary::of(record);
            let name = |finding: &Finding| finding.verdict(0.05).name();
            let verdicts: Vec<_> = summary.findings.iter().map(name).collect();
            (verdicts, summary.control.as_ref().map(name))
        };
        assert_eq!(told(&record), (vec!["differs"], Some("equal")));
        record.experiment.contrasts.push(Contrast::between("a", "b"));
        record.experiment.control = false;
        assert_eq!(told(&record), (vec!["differs"; 2], None));
    }
}
