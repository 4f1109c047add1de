//! What the rounds of an experiment come to: of each variant the median and the spread.
//!
//! A run counts if it is not void; of several attempts in a round the last that counts is taken. A run beyond the end of
//! its climb doesn't count either, but nothing went wrong in it: its round is whole without it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    description::Law,
    figures, stats,
    store::{Record, RoundRun},
};

/// A generator that used more of its processors than this was the limit, in percent.
pub const SATURATED_PERCENT: f64 = 90.0;

/// A record in numbers, by its own metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The variants in the order of the description; the control, if there is one, comes last.
    pub lines: Vec<Line>,
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
    /// The variant, or [`CONTROL`](crate::description::CONTROL).
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

    /// The runs that count, by round: of each the last attempt that is not void.
    pub fn counted(&self, variant: &str) -> BTreeMap<usize, &RoundRun> {
        let mut counted: BTreeMap<usize, &RoundRun> = BTreeMap::new();
        for run in self.runs.iter().filter(|run| run.variant == variant && run.void.is_none()) {
            let best = counted.entry(run.round).or_insert(run);
            if run.attempt >= best.attempt {
                *best = run;
            }
        }
        counted
    }

    /// A figure of a variant, by round. A run that has no such figure is left out.
    pub fn values(&self, variant: &str, figure: &str) -> BTreeMap<usize, f64> {
        let counted = self.counted(variant).into_iter();
        let value = |run: &RoundRun| figures::value(&run.figures, figure);
        counted.filter_map(|(round, run)| Some((round, value(run)?))).collect()
    }

    /// Whether a figure of a variant was counted, and is the same in all of several rounds.
    fn is_exact(&self, variant: &str, figure: &str) -> bool {
        let values: Vec<f64> = self.values(variant, figure).into_values().collect();
        let is_counted = self.experiment.counts(variant, figure);
        is_counted && values.len() > 1 && values.iter().all(|value| *value == values[0])
    }

    /// Whether a figure of a variant is the generator's: it depends on the generator, which was the limit in most of the
    /// runs that count.
    pub fn is_generators(&self, variant: &str, figure: &str) -> bool {
        depends_on_generator(figure) && 2 * self.saturated(variant) > self.counted(variant).len()
    }

    /// In how many of a variant's runs that count the generator was the limit.
    fn saturated(&self, variant: &str) -> usize {
        self.counted(variant).values().filter(|run| is_saturated(run)).count()
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

/// Whether a generator that has no processor time left changes this figure: rates and latencies are its own then,
/// and what a request costs the server is not.
fn depends_on_generator(figure: &str) -> bool {
    figure.ends_with("_per_second")
        || figure.starts_with("latency_")
        || ["requests", "duration_seconds", "errors"].contains(&figure)
}

/// Whether the generator was at its limit, and not the server.
fn is_saturated(run: &RoundRun) -> bool {
    let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or_default();
    figure("generator_cpu_share_percent") > SATURATED_PERCENT && figure("requests") > 0.0
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
        let names = record.names();
        let lines: Vec<Line> = names.iter().map(|variant| Line::of(record, variant)).collect();
        let mut by_round: BTreeMap<usize, usize> = BTreeMap::new();
        for round in names.iter().flat_map(|variant| record.rounds_of(variant)) {
            *by_round.entry(round).or_default() += 1;
        }
        Summary {
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
    use crate::{
        description::Count,
        testing::{record, run},
    };

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
        let ratio = record.difference("a", "b", "requests_per_second").unwrap();
        assert_eq!((ratio.median, ratio.rounds), (4.0, 1));
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
        // What is counted exactly does not mind.
        record.experiment.variants[1].own.count = Some(Count::Instructions);
        assert_eq!(stolen(&record), (1, 1));
    }

    #[test]
    fn exact_is_what_was_counted_and_is_the_same_in_all_rounds() {
        let varied = &[6.0, 6.0, 6.0, 6.0, 7.0];
        let mut record = record(&[("a", &[3.0; 5]), ("b", varied), ("c", &[6.0])]);
        let are_exact = |record: &Record| {
            ["a", "b", "c"].map(|name| Summary::of(record).line(name).unwrap().exact)
        };
        // A measurement may come out the same, because it is rounded.
        assert_eq!(are_exact(&record), [false; 3]);
        record.experiment.exact = true;
        assert_eq!(are_exact(&record), [true, false, false]);
        assert!(!record.is_exact("a", "duration_seconds"));
        record.experiment.exact = false;
        record.experiment.metric = "instructions_per_request".to_owned();
        record.experiment.common.count = Some(Count::Instructions);
        for run in &mut record.runs {
            let rate = run.figures["requests_per_second"];
            run.figures.insert("instructions_per_request".to_owned(), rate);
        }
        assert_eq!(are_exact(&record), [true, false, false]);
    }

    #[test]
    fn a_rate_that_the_generator_limited_in_most_rounds_is_the_generators() {
        let mut limited = record(&[("a", &[10.0; 5])]);
        let mut share = |limited_in: usize| {
            for run in &mut limited.runs {
                let percent = if run.round <= limited_in { 95.0 } else { 50.0 };
                let more = [("requests", 99.0), ("generator_cpu_share_percent", percent)];
                run.figures.extend(more.map(|(name, value)| (name.to_owned(), Some(value))));
            }
            ["requests_per_second", "server_cpu_us_per_request"]
                .map(|figure| limited.is_generators("a", figure))
        };
        // What a request costs the server is the server's.
        assert_eq!([share(5), share(3), share(2)], [[true, false], [true, false], [false; 2]]);
    }
}
