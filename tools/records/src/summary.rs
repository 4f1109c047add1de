//! What the rounds of an experiment say: medians, ratios inside a round, and whether a difference counts.
//!
//! A run counts if it is not void; of several attempts in a round the last that counts is taken. A ratio is
//! always that of two runs of one round, because the machine's moods pass slower than a round does.
//!
//! A **difference** is one where the rounds agree, *and* the median of their ratios is further from 1 than the
//! experiment's margin, *and* further than the interval of the control reaches, which is the baseline a second time.
//! The control itself is held to the first two. Rounds agree if all their ratios lie on the same side of 1, or if
//! chance would put them as far to one side in [`LEAST_CHANCE`] of the cases at most ([`stats::chance`]). Up to
//! seven rounds the two are the same; with eleven, one or two small exceptions are forgiven. Of equals that differ by
//! chance alone, all rounds fall on one side once in 2^(n-1) times: 6 % of the time with five rounds, 1.6 % with
//! seven. The margin takes away what is constant and small, such as what a place in memory does to one of two equals.

use std::collections::BTreeMap;

use crate::{
    description::{CONTROL, Law},
    stats,
    store::{Record, RoundRun},
};

/// Rounds that chance would bring about more often than this do not agree, unless all are on one side.
pub const LEAST_CHANCE: f64 = 0.02;

/// With fewer rounds than this there is no verdict: equals fall on one side too often.
pub const LEAST_ROUNDS: usize = 5;

/// A generator that used more of its processors than this was the limit, in percent.
pub const SATURATED_PERCENT: f64 = 90.0;

/// A record in numbers, by its own metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The variants in the order of the description; the control, if there is one, comes last.
    pub lines: Vec<Line>,
    /// The rounds in which every variant has a run that counts.
    pub whole_rounds: usize,
    /// The runs that count.
    pub counted: usize,
    /// How many of these the machine disturbed.
    pub noisy: usize,
    /// The runs that do not count.
    pub voids: usize,
}

/// What the rounds say about one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The variant, or [`CONTROL`].
    pub name: String,
    /// The metric over the rounds; `None` where no run counts.
    pub metric: Option<Spread>,
    /// The ratio to the baseline with its 95 % interval; `None` for the baseline, and where there is none.
    pub ratio: Option<Interval>,
    /// Whether it differs from the baseline.
    pub verdict: Verdict,
    /// What arithmetic predicts.
    pub law: Option<Law>,
    /// The runs that count.
    pub counted: usize,
    /// How many of these the machine disturbed.
    pub noisy: usize,
    /// In how many of these the generator had no processor time left, so that they are lower bounds for the server.
    pub saturated: usize,
    /// The runs that do not count.
    pub voids: usize,
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

/// A median and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// 97.5 % of the medians of draws from the rounds are at least this.
    pub low: f64,
    /// 97.5 % of them are at most this.
    pub high: f64,
}

/// Whether a variant differs from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is what the others are compared with.
    Baseline,
    /// The rounds agree, and the median is further from 1 than the margin and the control's interval.
    Difference,
    /// Anything less.
    NoDifference,
    /// Fewer than [`LEAST_ROUNDS`] rounds have a ratio.
    TooFewRounds,
    /// The baseline is 0, and nothing can be divided by it.
    NoRatio,
}

impl Verdict {
    /// The verdict that stands like this in a sentence.
    pub fn named(words: &str) -> Option<Verdict> {
        use Verdict::*;
        let all = [Baseline, Difference, NoDifference, TooFewRounds, NoRatio];
        all.into_iter().find(|verdict| verdict.words() == words)
    }

    /// As it stands in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Baseline => "the baseline",
            Verdict::Difference => "a difference",
            Verdict::NoDifference => "no difference found",
            Verdict::TooFewRounds => "too few rounds",
            Verdict::NoRatio => "no ratio, as the baseline is 0",
        }
    }
}

impl Spread {
    /// Of these values; `None` where there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let least = values.iter().copied().min_by(f64::total_cmp)?;
        let greatest = values.iter().copied().max_by(f64::total_cmp)?;
        Some(Spread { median: stats::median(values)?, least, greatest })
    }
}

impl Interval {
    /// Of these ratios.
    fn of(ratios: &[f64]) -> Option<Interval> {
        let (low, high) = stats::interval(ratios)?;
        Some(Interval { median: stats::median(ratios)?, low, high })
    }
}

/// How far two things are apart whose ratio this is: 0 for equals, and the same for 2 and for 1 / 2.
fn distance(ratio: f64) -> f64 {
    ratio.ln().abs()
}

/// The ratio of the median, and whether it counts. `control` is the ratio of the control to its equal.
pub fn judge(
    ratios: &[f64],
    control: Option<Interval>,
    margin: f64,
) -> (Option<Interval>, Verdict) {
    let ratio = Interval::of(ratios);
    let median = ratio.map_or(1.0, |ratio| ratio.median);
    (ratio, verdict(ratios, median, control, margin))
}

/// The rule of the verdict.
fn verdict(ratios: &[f64], median: f64, control: Option<Interval>, margin: f64) -> Verdict {
    if ratios.len() < LEAST_ROUNDS {
        return Verdict::TooFewRounds;
    }
    // How far two runs of the very same thing come apart.
    let noise = control.map_or(0.0, |control| distance(control.low).max(distance(control.high)));
    let above = ratios.iter().all(|ratio| *ratio > 1.0);
    let below = ratios.iter().all(|ratio| *ratio < 1.0);
    let agree = above || below || stats::chance(ratios) <= LEAST_CHANCE;
    let is_far = distance(median) > distance(1.0 + margin).max(noise);
    if agree && is_far { Verdict::Difference } else { Verdict::NoDifference }
}

impl Record {
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
        let value = |run: &RoundRun| run.figures.get(figure).copied().flatten();
        counted.filter_map(|(round, run)| Some((round, value(run)?))).collect()
    }

    /// The ratios of two variants' figures, each inside a round. A round in which `base` is 0 has none.
    pub fn ratios(&self, variant: &str, base: &str, figure: &str) -> Vec<f64> {
        let bases = self.values(base, figure);
        let values = self.values(variant, figure).into_iter();
        values
            .filter_map(|(round, value)| {
                let base = bases.get(&round).copied().filter(|base| *base != 0.0)?;
                Some(value / base)
            })
            .collect()
    }

    /// The variants as their results are listed: those of the description, then the control.
    pub fn names(&self) -> Vec<&str> {
        let described = self.experiment.variants.iter().map(|variant| variant.name.as_str());
        described.chain(self.experiment.control.then_some(CONTROL)).collect()
    }
}

impl Summary {
    /// Works out what a record says.
    pub fn of(record: &Record) -> Summary {
        let experiment = &record.experiment;
        let (base, metric) = (experiment.baseline(), experiment.metric.as_str());
        let controls = record.ratios(CONTROL, base, metric);
        let control = Interval::of(&controls);
        let bases = record.values(base, metric);
        let base_is_zero = bases.len() >= LEAST_ROUNDS && bases.values().all(|value| *value == 0.0);
        let names = record.names();
        let line = |variant: &&str| {
            let counted = record.counted(variant);
            let values: Vec<f64> = record.values(variant, metric).into_values().collect();
            let ratios = record.ratios(variant, base, metric);
            // The control itself has no control.
            let control = control.filter(|_| *variant != CONTROL);
            let (ratio, verdict) = judge(&ratios, control, experiment.margin());
            let verdict = match ratio {
                _ if *variant == base => Verdict::Baseline,
                None if base_is_zero && !values.is_empty() => Verdict::NoRatio,
                _ if experiment.control && controls.len() < LEAST_ROUNDS => Verdict::TooFewRounds,
                _ => verdict,
            };
            Line {
                name: (*variant).to_owned(),
                metric: Spread::of(&values),
                ratio: ratio.filter(|_| *variant != base),
                verdict,
                law: experiment.variant(variant).and_then(|variant| variant.law.clone()),
                counted: counted.len(),
                noisy: counted.values().filter(|run| run.noisy).count(),
                saturated: counted.values().filter(|run| is_saturated(run)).count(),
                voids: voids(record, variant),
            }
        };
        let lines: Vec<Line> = names.iter().map(line).collect();
        let mut by_round: BTreeMap<usize, usize> = BTreeMap::new();
        for round in names.iter().flat_map(|variant| record.counted(variant).into_keys()) {
            *by_round.entry(round).or_default() += 1;
        }
        Summary {
            whole_rounds: by_round.values().filter(|count| **count == names.len()).count(),
            counted: lines.iter().map(|line| line.counted).sum(),
            noisy: lines.iter().map(|line| line.noisy).sum(),
            voids: lines.iter().map(|line| line.voids).sum(),
            lines,
        }
    }

    /// What is said about this variant.
    pub fn line(&self, variant: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == variant)
    }
}

/// Whether the generator was at its limit, and not the server.
fn is_saturated(run: &RoundRun) -> bool {
    let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or_default();
    let counts =
        ["syscalls", "instructions", "allocations"].map(|what| format!("{what}_per_request"));
    figure("generator_cpu_share_percent") > SATURATED_PERCENT
        && figure("requests") > 0.0
        // A count does not depend on who waited for whom.
        && !counts.iter().any(|name| run.figures.contains_key(name))
}

fn voids(record: &Record, variant: &str) -> usize {
    record.runs.iter().filter(|run| run.variant == variant && run.void.is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        description::MARGIN,
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
    fn the_same_twice_is_no_difference_and_twice_as_much_is_one() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut noise = |factor: f64| -> Vec<f64> {
            let one = || factor * (0.1 * stats::tests::normal(&mut random)).exp();
            std::iter::repeat_with(one).take(9).collect()
        };
        let mut found = 0;
        for _ in 0..100 {
            let control = Interval::of(&noise(1.0));
            let (_, same) = judge(&noise(1.0), control, MARGIN);
            found += usize::from(same != Verdict::NoDifference);
            for factor in [2.0, 0.5] {
                let control = Interval::of(&noise(1.0));
                let (ratio, verdict) = judge(&noise(factor), control, MARGIN);
                assert_eq!(verdict, Verdict::Difference, "{ratio:?}");
            }
        }
        assert!(found <= 2, "{found} differences where there is none");
    }

    /// Equals that chance alone moves: how often they are called different, by the number of rounds.
    #[test]
    fn equals_are_hardly_ever_called_different() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut noise = |rounds: usize| -> Vec<f64> {
            let one = || (0.05 * stats::tests::normal(&mut random)).exp();
            std::iter::repeat_with(one).take(rounds).collect()
        };
        let trials = 20_000;
        // How often all fall on one side, and how often there is a verdict: with a control, and of the control.
        let mut found = |rounds: usize| {
            let mut counts = [0; 3];
            for _ in 0..trials {
                let (base, ratios, controls) = (noise(rounds), noise(rounds), noise(rounds));
                let over = |values: &[f64]| -> Vec<f64> {
                    values.iter().zip(&base).map(|(value, base)| value / base).collect()
                };
                let (ratios, controls) = (over(&ratios), over(&controls));
                let side = ratios.iter().all(|ratio| *ratio > 1.0)
                    || ratios.iter().all(|ratio| *ratio < 1.0);
                let differs = |control: Option<Interval>| {
                    judge(&ratios, control, MARGIN).1 == Verdict::Difference
                };
                let control = Interval::of(&controls);
                for (count, is_so) in counts.iter_mut().zip([side, differs(control), differs(None)])
                {
                    *count += usize::from(is_so);
                }
            }
            counts.map(|count| 100.0 * count as f64 / f64::from(trials))
        };
        let [side, with_control, alone] = found(5);
        assert!((5.5..7.0).contains(&side), "{side}");
        assert!(with_control < 1.0 && alone < side, "{with_control} {alone}");
        let [side, with_control, alone] = found(7);
        assert!((1.2..2.0).contains(&side), "{side}");
        assert!(with_control < 0.3 && alone < side, "{with_control} {alone}");
        assert!(found(9)[2] < 1.5);
        let [_, with_control, alone] = found(11);
        assert!(with_control < 0.5 && alone < 1.5, "{with_control} {alone}");
    }

    /// A fifth less, on a machine where the ratio of two runs is off by a seventh: how often it is found.
    #[test]
    fn what_five_rounds_miss_eleven_find() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut noise = || (0.1 * stats::tests::normal(&mut random)).exp();
        let trials = 2_000;
        let mut found = |rounds: usize| {
            let mut count = 0;
            for _ in 0..trials {
                let rounds: Vec<[f64; 3]> =
                    std::iter::repeat_with(|| [noise(), 0.8 * noise(), noise()])
                        .take(rounds)
                        .collect();
                let over = |which: usize| -> Vec<f64> {
                    rounds.iter().map(|round| round[which] / round[0]).collect()
                };
                let (_, verdict) = judge(&over(1), Interval::of(&over(2)), MARGIN);
                count += usize::from(verdict == Verdict::Difference);
            }
            100.0 * f64::from(count as u32) / f64::from(trials)
        };
        let (five, eleven) = (found(5), found(11));
        assert!(five < 50.0 && eleven > 80.0, "{five} and {eleven} in a hundred");
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
        assert_eq!(summary.line("b").unwrap().voids, 1);
    }

    #[test]
    fn a_difference_lies_on_one_side_and_clears_margin_and_control() {
        let verdict = |rates: &[(&str, &[f64])]| {
            let summary = Summary::of(&record(rates));
            summary.line("b").unwrap().verdict
        };
        let base: (&str, &[f64]) = ("a", &[100.0, 102.0, 98.0, 101.0, 99.0]);
        let quiet: (&str, &[f64]) = (CONTROL, &[101.0, 101.0, 99.0, 100.0, 98.0]);
        let twice: (&str, &[f64]) = ("b", &[200.0, 205.0, 195.0, 202.0, 199.0]);
        assert_eq!(verdict(&[base, twice, quiet]), Verdict::Difference);
        assert_eq!(verdict(&[base, twice]), Verdict::Difference);
        // The ratio is the same in each round, and yet smaller than what the control does.
        let little: (&str, &[f64]) = ("b", &[110.0, 112.2, 107.8, 111.1, 108.9]);
        assert_eq!(verdict(&[base, little, quiet]), Verdict::Difference);
        assert_eq!(verdict(&[base, little]), Verdict::Difference);
        let loud: (&str, &[f64]) = (CONTROL, &[101.0, 101.0, 99.0, 100.0, 85.0]);
        assert_eq!(verdict(&[base, little, loud]), Verdict::NoDifference);
        // The ratio is the same in each round, and yet too small to matter, unless the description says less.
        let less: (&str, &[f64]) = ("b", &[104.0, 106.1, 101.9, 105.0, 103.0]);
        assert_eq!(verdict(&[base, less, quiet]), Verdict::NoDifference);
        let with_margin = |margin: f64, rates: &[(&str, &[f64])]| {
            let mut record = record(rates);
            record.experiment.margin = Some(margin);
            Summary::of(&record).line("b").unwrap().verdict
        };
        assert_eq!(with_margin(0.01, &[base, less, quiet]), Verdict::Difference);
        assert_eq!(with_margin(0.01, &[base, less, loud]), Verdict::NoDifference);
        assert_eq!(with_margin(0.2, &[base, little, quiet]), Verdict::NoDifference);
        let lower: (&str, &[f64]) = ("b", &[96.0, 97.9, 94.1, 97.0, 95.0]);
        assert_eq!(verdict(&[base, lower]), Verdict::NoDifference);
        assert_eq!(with_margin(0.03, &[base, lower]), Verdict::Difference);
        // Of eleven rounds one may lie on the other side, if it is near. Five have none to spare.
        let many: (&str, &[f64]) = ("a", &[100.0; 11]);
        let one_near: (&str, &[f64]) =
            ("b", &[120.0, 121.0, 119.0, 122.0, 118.0, 123.0, 117.0, 124.0, 116.0, 125.0, 99.0]);
        let one_far: Vec<f64> =
            one_near.1.iter().map(|rate| if *rate < 100.0 { 70.0 } else { *rate }).collect();
        assert_eq!(verdict(&[many, one_near]), Verdict::Difference);
        assert_eq!(verdict(&[many, ("b", &one_far)]), Verdict::NoDifference);
        let wild: (&str, &[f64]) = ("b", &[150.0, 160.0, 170.0, 160.0, 98.0]);
        assert_eq!(verdict(&[base, wild, quiet]), Verdict::NoDifference);
        let few: &[f64] = &[1.0, 1.0, 1.0, 1.0];
        assert_eq!(verdict(&[("a", few), ("b", &[2.0; 4])]), Verdict::TooFewRounds);
        // The control is no exception: two equals that differ each time, and by as much, are not equal.
        let apart: (&str, &[f64]) = (CONTROL, &[120.0, 123.0, 118.0, 121.0, 119.0]);
        let summary = Summary::of(&record(&[base, little, apart]));
        assert_eq!(summary.line(CONTROL).unwrap().verdict, Verdict::Difference);
        assert_eq!(summary.line("b").unwrap().verdict, Verdict::NoDifference);
        let near: (&str, &[f64]) = (CONTROL, &[104.0, 106.1, 101.9, 105.0, 103.0]);
        let summary = Summary::of(&record(&[base, little, near]));
        assert_eq!(summary.line(CONTROL).unwrap().verdict, Verdict::NoDifference);
        let mut lost = record(&[base, twice, quiet]);
        lost.runs
            .iter_mut()
            .filter(|run| run.variant == "a")
            .for_each(|run| run.void = Some("x".into()));
        assert_eq!(Summary::of(&lost).line("b").unwrap().verdict, Verdict::TooFewRounds);
        let nothing: (&str, &[f64]) = ("a", &[0.0; 5]);
        assert_eq!(verdict(&[nothing, twice]), Verdict::NoRatio);
        assert_eq!(verdict(&[twice, base]), Verdict::Baseline);
    }

    /// Where the machine could not tell equals from others, nothing that was measured on it says anything.
    #[test]
    fn the_books_controls_find_no_difference() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../measurements/results/experiments");
        let records = crate::store::read_all(&folder).unwrap();
        let differs = |name: &str, variant: &str| {
            let line = Summary::of(&records[name]).line(variant).cloned();
            line.is_some_and(|line| line.verdict == Verdict::Difference)
        };
        let differing: Vec<&String> =
            records.keys().filter(|name| differs(name, CONTROL)).collect();
        // One of so many may, by chance; but not that which is about nothing else.
        let again = "`cargo xtask bench --fresh --only NAME` on a quieter machine";
        assert!(differing.len() <= 1, "the controls of {differing:?} differ: {again}");
        if records.contains_key("a-a") {
            for variant in ["the same again", CONTROL] {
                assert!(!differs("a-a", variant), "a-a: {variant} differs: {again}");
            }
        }
    }

    #[test]
    fn ratios_are_taken_inside_a_round() {
        // The machine halves its pace in round 2; the ratio does not move.
        let record = record(&[("a", &[100.0, 50.0, 100.0]), ("b", &[300.0, 150.0, 300.0])]);
        let summary = Summary::of(&record);
        let line = summary.line("b").unwrap();
        assert_eq!(line.ratio, Some(Interval { median: 3.0, low: 3.0, high: 3.0 }));
        assert_eq!(line.metric, Some(Spread { median: 300.0, least: 150.0, greatest: 300.0 }));
        assert_eq!(summary.line("a").unwrap().ratio, None);
    }
}
