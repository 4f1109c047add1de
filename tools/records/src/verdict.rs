//! What the rounds say about two variants of an experiment: the ratio of a figure, and the verdict.
//!
//! A ratio is always that of two runs of one round, because the machine's moods pass slower than a round does. The
//! median of the ratios has an interval. Beside it stands the control: the baseline a second time, whose ratio to the
//! baseline would be 1 on a perfect machine.
//!
//! Three questions lead to the verdicts. **Does the interval hold 1?** If not, it is known which of the two has more.
//! **Does it lie within the margin**, which says what would matter to a reader? Then the two are alike, as far as it
//! matters. **Is it clear how much more?** It is if the rounds agree, and the median is further from 1 than the noise
//! of the two reaches. Rounds agree if all their ratios lie on the same side of 1, or if chance would put them as far
//! to one side in [`LEAST_CHANCE`] of the cases at most ([`stats::chance`]). Nobody can tell anything where the
//! generator was the limit, because then the ratio is that of two generators.
//!
//! The noise of a contrast is that of its own two ends. Both are in how far its interval reaches from its median. Of the
//! baseline more is known: a contrast of which it is an end is also as noisy as the control. Other contrasts are not.
//!
//! Of equals that differ by chance alone, one interval in fifteen does not hold 1 with five rounds or with eleven, and
//! one in eight with seven; how much more is then clear in 3 of 100 cases with five rounds, and in 1 with more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    description::{CONTROL, Contrast},
    figures, stats,
    store::{Record, RoundRun},
};

/// Rounds that chance would bring about more often than this do not agree, unless all are on one side.
pub const LEAST_CHANCE: f64 = 0.02;

/// With fewer rounds than this there is no verdict: equals fall on one side too often.
pub const LEAST_ROUNDS: usize = 5;

/// A generator that used more of its processors than this was the limit, in percent.
pub const SATURATED_PERCENT: f64 = 90.0;

/// A median and where it may lie.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// 97.5% of the medians of draws from the rounds are at least this.
    pub low: f64,
    /// 97.5% of them are at most this.
    pub high: f64,
}

/// Whether two variants differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They differ, and perhaps by more than the margin.
    Differs,
    /// They differ, and certainly by less than this margin.
    DiffersByLess(f64),
    /// No difference is certain, and none is larger than this margin.
    EqualWithin(f64),
    /// The first has more, and the rounds are too far apart to say how much.
    More,
    /// The first has less, and the rounds are too far apart to say how much.
    Less,
    /// Neither is certain.
    CantTell(Why),
}

/// Why nobody can tell.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The interval reaches further than the margin.
    TooWide,
    /// Fewer than [`LEAST_ROUNDS`] rounds have both figures.
    #[serde(rename = "rounds")]
    TooFewRounds,
    /// The generator was the limit in most rounds of one of the two, so that its rate is the generator's.
    Generator,
    /// The figure of the second is 0 in each round, and nothing can be divided by it.
    #[serde(rename = "zero")]
    NoRatio,
}

impl Verdict {
    /// The names of the verdicts without a margin, as an expression compares them.
    pub const NAMES: [&str; 6] =
        ["differs", "differs by less", "equal", "more", "less", "can't tell"];

    /// Its name, one of [`Verdict::NAMES`].
    pub fn name(self) -> &'static str {
        Verdict::NAMES[match self {
            Verdict::Differs => 0,
            Verdict::DiffersByLess(_) => 1,
            Verdict::EqualWithin(_) => 2,
            Verdict::More => 3,
            Verdict::Less => 4,
            Verdict::CantTell(_) => 5,
        }]
    }

    /// As it stands in a sentence.
    pub fn words(self) -> String {
        let size = |margin: f64| match margin < 1.0 {
            true => format!("{}%", crate::base::shortest(100.0 * margin)),
            false => format!("a factor of {}", crate::base::shortest(1.0 + margin)),
        };
        match self {
            Verdict::DiffersByLess(margin) => format!("differs, by less than {}", size(margin)),
            Verdict::EqualWithin(margin) => format!("equal within {}", size(margin)),
            Verdict::More | Verdict::Less => format!("{}, but how much can't be told", self.name()),
            verdict => verdict.name().to_owned(),
        }
    }
}

impl Why {
    /// As it stands behind "can't tell".
    pub fn words(self) -> &'static str {
        match self {
            Why::TooWide => "the interval is too wide",
            Why::TooFewRounds => "too few rounds",
            Why::Generator => "the generator was the limit",
            Why::NoRatio => "a ratio to 0",
        }
    }
}

impl Interval {
    /// Of these ratios; `None` where there are none.
    pub fn of(ratios: &[f64]) -> Option<Interval> {
        let (low, high) = stats::interval(ratios)?;
        Some(Interval { median: stats::median(ratios)?, low, high })
    }

    /// How far its further end is from 1.
    fn reach(self) -> f64 {
        distance(self.low).max(distance(self.high))
    }

    /// Whether it lies above 1 (true) or below; `None` where it holds 1.
    fn side(self) -> Option<bool> {
        match (self.low > 1.0, self.high < 1.0) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => None,
        }
    }

    /// Whether the two have a value in common.
    pub fn overlaps(self, other: Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// How far two things are apart whose ratio this is: 0 for equals, and the same for 2 and for 1 / 2.
fn distance(ratio: f64) -> f64 {
    ratio.ln().abs()
}

/// What the rounds say about a contrast: all that the verdict needs but the margin.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Finding {
    /// The variant in the numerator.
    pub of: String,
    /// The variant in the denominator.
    pub to: String,
    /// The figure that is compared.
    pub figure: String,
    /// How many rounds have both.
    pub rounds: usize,
    /// The ratio; `None` where no round has one.
    pub ratio: Option<Interval>,
    /// The ratio of the control to the baseline, by the same figure, where the baseline is one of the two.
    pub control: Option<Interval>,
    /// Whether the rounds agree on a side.
    pub agree: bool,
    /// Whether both ends were counted, have the same value in all rounds, and can be compared.
    pub exact: bool,
    /// Why nobody can tell, whatever the margin is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<Why>,
}

impl Finding {
    /// What these ratios say, beside those of the control where the baseline is one of the two.
    pub fn of(contrast: &Contrast, metric: &str, ratios: &[f64], controls: &[f64]) -> Finding {
        let above = ratios.iter().all(|ratio| *ratio > 1.0);
        let below = ratios.iter().all(|ratio| *ratio < 1.0);
        Finding {
            of: contrast.of.clone(),
            to: contrast.to.clone(),
            figure: contrast.figure(metric).to_owned(),
            rounds: ratios.len(),
            ratio: Interval::of(ratios),
            control: Interval::of(controls),
            agree: above || below || stats::chance(ratios) <= LEAST_CHANCE,
            exact: false,
            silent: (ratios.len() < LEAST_ROUNDS).then_some(Why::TooFewRounds),
        }
    }

    /// The verdict by a margin: 0.1 is 10%, and 1 a factor of two.
    pub fn verdict(&self, margin: f64) -> Verdict {
        let ratio = match (self.silent, self.ratio) {
            (Some(why), _) => return Verdict::CantTell(why),
            (None, None) => return Verdict::CantTell(Why::TooFewRounds),
            (None, Some(ratio)) => ratio,
        };
        // A ratio of exactly 1 + margin lies within, whatever the last bit of its logarithm is.
        let is_within = ratio.reach() <= (1.0 + margin).ln() + 1e-12;
        match (ratio.side(), is_within) {
            (None, true) => Verdict::EqualWithin(margin),
            (None, false) => Verdict::CantTell(Why::TooWide),
            (Some(_), true) => Verdict::DiffersByLess(margin),
            (Some(_), false) if self.agree && distance(ratio.median) > self.noise(ratio) => {
                Verdict::Differs
            }
            (Some(true), false) => Verdict::More,
            (Some(false), false) => Verdict::Less,
        }
    }

    /// How far from 1 the ratio of equals might be that vary as these two do.
    fn noise(&self, ratio: Interval) -> f64 {
        let to_ends = distance(ratio.high / ratio.median).max(distance(ratio.median / ratio.low));
        to_ends.max(self.control.map_or(0.0, Interval::reach))
    }

    /// Which of the two has more, where that can be told by this margin's verdict: true for the first.
    pub fn side(&self, margin: f64) -> Option<bool> {
        let is_known = !matches!(self.verdict(margin), Verdict::CantTell(_));
        self.ratio.filter(|_| is_known)?.side()
    }
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
        let value = |run: &RoundRun| figures::value(&run.figures, figure);
        counted.filter_map(|(round, run)| Some((round, value(run)?))).collect()
    }

    /// The ratios of two variants' figures, each inside a round. A round in which `base` is 0 has none.
    pub fn ratios(&self, variant: &str, base: &str, figure: &str) -> Vec<f64> {
        let bases = self.values(base, figure);
        let ratio = |(round, value): (usize, f64)| {
            let base = bases.get(&round).filter(|base| **base != 0.0)?;
            Some(value / base)
        };
        self.values(variant, figure).into_iter().filter_map(ratio).collect()
    }

    /// What the rounds say about a contrast.
    pub fn finding(&self, contrast: &Contrast) -> Finding {
        let experiment = &self.experiment;
        let figure = contrast.figure(&experiment.metric);
        let ratios = self.ratios(&contrast.of, &contrast.to, figure);
        let baseline = experiment.baseline();
        let has_baseline = contrast.of == baseline || contrast.to == baseline;
        let controls = match has_baseline && contrast.of != CONTROL {
            true => self.ratios(CONTROL, baseline, figure),
            false => Vec::new(),
        };
        let mut finding = Finding::of(contrast, &experiment.metric, &ratios, &controls);
        // Without enough rounds of the control nobody knows how restless the baseline is.
        let has_control = has_baseline && experiment.control;
        if has_control && self.values(CONTROL, figure).len() < LEAST_ROUNDS {
            finding.silent = Some(Why::TooFewRounds);
        }
        if ratios.is_empty() && !self.values(&contrast.to, figure).is_empty() {
            finding.silent = Some(Why::NoRatio);
        }
        if [&contrast.of, &contrast.to].iter().any(|it| self.is_generators(it, figure)) {
            finding.silent = Some(Why::Generator);
        }
        let is_exact = |end: &String| self.is_exact(end, figure);
        finding.exact =
            finding.silent.is_none() && is_exact(&contrast.of) && is_exact(&contrast.to);
        finding
    }

    /// Whether a figure of a variant was counted, and is the same in all of several rounds.
    pub fn is_exact(&self, variant: &str, figure: &str) -> bool {
        let values: Vec<f64> = self.values(variant, figure).into_values().collect();
        let is_counted = self.experiment.is_exact(figure);
        is_counted && values.len() > 1 && values.iter().all(|value| *value == values[0])
    }

    /// Whether a figure of a variant is the generator's: it depends on the generator, which was the limit in most of the
    /// runs that count.
    pub fn is_generators(&self, variant: &str, figure: &str) -> bool {
        depends_on_generator(figure) && 2 * self.saturated(variant) > self.counted(variant).len()
    }

    /// In how many of a variant's runs that count the generator was the limit.
    pub fn saturated(&self, variant: &str) -> usize {
        self.counted(variant).values().filter(|run| is_saturated(run)).count()
    }
}

/// Whether a generator that has no processor time left changes this figure: rates and latencies are its own then,
/// and what a request costs the server is not.
pub(crate) fn depends_on_generator(figure: &str) -> bool {
    figure.ends_with("_per_second")
        || figure.starts_with("latency_")
        || ["requests", "duration_seconds", "errors"].contains(&figure)
}

/// Whether the generator was at its limit, and not the server.
fn is_saturated(run: &RoundRun) -> bool {
    let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or_default();
    figure("generator_cpu_share_percent") > SATURATED_PERCENT && figure("requests") > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stats::tests::normal, testing::record};

    fn judge(ratios: &[f64], margin: f64) -> Verdict {
        Finding::of(&Contrast::between("b", "a"), "requests_per_second", ratios, &[])
            .verdict(margin)
    }

    #[test]
    fn three_questions_have_six_verdicts() {
        for (ratios, margin, verdict) in [
            ([2.0, 2.1, 1.9, 2.0, 2.2], 0.05, Verdict::Differs),
            ([0.5, 0.4, 0.6, 0.5, 0.5], 0.05, Verdict::Differs),
            ([1.1, 1.1, 1.1, 1.1, 1.1], 0.05, Verdict::Differs),
            ([1.1, 1.1, 1.1, 1.1, 1.1], 0.1, Verdict::DiffersByLess(0.1)),
            ([0.75, 0.64, 0.79, 0.75, 0.7], 0.5, Verdict::Differs),
            ([0.75, 0.68, 0.79, 0.75, 0.7], 0.5, Verdict::DiffersByLess(0.5)),
            // An interval that does not hold 1 is none of equals, however near it is.
            ([1.009, 1.009, 1.008, 1.009, 1.001], 0.05, Verdict::DiffersByLess(0.05)),
            ([1.02, 0.98, 1.01, 1.0, 1.03], 0.05, Verdict::EqualWithin(0.05)),
            // One round on the other side, and far from it.
            ([1.5, 1.6, 1.7, 1.6, 0.98], 0.05, Verdict::CantTell(Why::TooWide)),
            ([1.02, 0.98, 1.01, 1.0, 1.06], 0.05, Verdict::CantTell(Why::TooWide)),
        ] {
            assert_eq!(judge(&ratios, margin), verdict, "{ratios:?} {margin}");
            // It is the same from the other end.
            let upside_down = ratios.map(|ratio| 1.0 / ratio);
            assert_eq!(judge(&upside_down, margin), verdict, "{upside_down:?} {margin}");
        }
        // All have more, but they lie further from each other than from 1.
        let wide = [1.02, 1.9, 1.1, 1.2, 1.05];
        assert_eq!(judge(&wide, 0.05), Verdict::More);
        assert_eq!(judge(&wide.map(|ratio| 1.0 / ratio), 0.05), Verdict::Less);
        let few = Verdict::CantTell(Why::TooFewRounds);
        assert_eq!(judge(&[2.0; 4], 0.05), few);
        assert_eq!(judge(&[], 0.05), few);
        // Of eleven rounds one may lie on the other side, if it is near. Five have none to spare.
        let mut many = [1.2, 1.21, 1.19, 1.22, 1.18, 1.23, 1.17, 1.24, 1.16, 1.25, 0.99];
        assert_eq!(judge(&many, 0.05), Verdict::Differs);
        many[10] = 0.7;
        assert_eq!(judge(&many, 0.05), Verdict::More);
    }

    /// What the control does as well is no clear difference; but it judges no pair without its equal, the baseline.
    #[test]
    fn a_restless_baseline_judges_its_own_contrasts_alone() {
        let restless: &[f64] = &[13.0, 9.9, 10.1, 10.0, 10.0];
        let rates: [(&str, &[f64]); 4] =
            [("a", &[10.0; 5]), ("b", &[12.0; 5]), ("c", &[14.4; 5]), (CONTROL, restless)];
        let record = record(&rates);
        let verdict = |of, to| record.finding(&Contrast::between(of, to)).verdict(0.05);
        assert_eq!((verdict("c", "b"), verdict("b", "c")), (Verdict::Differs, Verdict::Differs));
        assert_eq!((verdict("b", "a"), verdict("a", "b")), (Verdict::More, Verdict::Less));
        assert_eq!(verdict("c", "a"), Verdict::Differs);
    }

    #[test]
    fn exact_is_what_was_counted_and_is_the_same_in_all_rounds() {
        let varied = &[6.0, 6.0, 6.0, 6.0, 7.0];
        let few = &[6.0; 2];
        let mut record = record(&[("a", &[3.0; 5]), ("b", &[6.0; 5]), ("c", varied), ("d", few)]);
        let are_exact = |record: &Record| {
            ["b", "c", "d"].map(|of| record.finding(&Contrast::between(of, "a")).exact)
        };
        // A measurement may come out the same, because it is rounded.
        assert_eq!(are_exact(&record), [false; 3]);
        record.experiment.exact = true;
        assert_eq!(are_exact(&record), [true, false, false]);
        assert!(!record.is_exact("a", "duration_seconds"));
    }

    #[test]
    fn a_control_of_too_few_rounds_says_nothing_of_the_noise() {
        let verdict = |control: &[f64], of, to| {
            let rates = [("a", &[10.0; 5][..]), ("b", &[20.0; 5]), ("c", &[40.0; 5])];
            let record = record(&[rates.as_slice(), &[(CONTROL, control)]].concat());
            record.finding(&Contrast::between(of, to)).verdict(0.05)
        };
        let few = Verdict::CantTell(Why::TooFewRounds);
        for control in [&[10.0; 4][..], &[]] {
            assert_eq!(verdict(control, "b", "a"), few);
            assert_eq!(verdict(control, "c", "b"), Verdict::Differs);
        }
        assert_eq!(verdict(&[10.0; 5], "b", "a"), Verdict::Differs);
    }

    #[test]
    fn verdicts_have_words() {
        for (verdict, words) in [
            (Verdict::Differs, "differs"),
            (Verdict::DiffersByLess(0.125), "differs, by less than 12.5%"),
            (Verdict::DiffersByLess(1.0), "differs, by less than a factor of 2"),
            (Verdict::EqualWithin(0.1), "equal within 10%"),
            (Verdict::EqualWithin(9.0), "equal within a factor of 10"),
            (Verdict::More, "more, but how much can't be told"),
            (Verdict::Less, "less, but how much can't be told"),
            (Verdict::CantTell(Why::TooWide), "can't tell"),
        ] {
            assert_eq!(verdict.words(), words);
        }
    }

    /// Equals that chance alone moves: of how many in a hundred one is said to have more, and of how many by how much.
    #[test]
    fn equals_are_hardly_ever_said_to_differ() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut found = |rounds: usize| {
            let mut sided = 0;
            let mut clear = 0;
            let trials = 20_000;
            for _ in 0..trials {
                let mut noise = || (0.05 * normal(&mut random)).exp();
                let ratio = || noise() / noise();
                let ratios: Vec<f64> = std::iter::repeat_with(ratio).take(rounds).collect();
                let verdict = judge(&ratios, 1e-6);
                sided += usize::from(!matches!(verdict, Verdict::CantTell(_)));
                clear += usize::from(verdict == Verdict::Differs);
            }
            [sided, clear].map(|count| 100.0 * count as f64 / f64::from(trials))
        };
        for (rounds, sided, clear) in [(5, 7.0, 3.5), (7, 13.5, 1.5), (11, 7.0, 1.5)] {
            let [of_sided, of_clear] = found(rounds);
            assert!(of_sided < sided && of_clear < clear, "{rounds}: {of_sided} {of_clear}");
        }
    }

    /// A fifth less, on a machine where the ratio of two runs is off by a seventh: how often that is certain.
    #[test]
    fn what_five_rounds_miss_eleven_find() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut noise = || (0.1 * normal(&mut random)).exp();
        let mut found = |rounds: usize| {
            let mut count = 0;
            let trials = 2_000;
            for _ in 0..trials {
                let ratio = || 0.8 * noise() / noise();
                let ratios: Vec<f64> = std::iter::repeat_with(ratio).take(rounds).collect();
                count += usize::from(judge(&ratios, 0.05) == Verdict::Differs);
            }
            100.0 * f64::from(count as u32) / f64::from(trials)
        };
        let (five, eleven) = (found(5), found(11));
        assert!(five < 60.0 && eleven > 85.0, "{five} and {eleven} in a hundred");
    }

    #[test]
    fn a_rate_that_the_generator_limited_is_no_ones() {
        let mut limited = record(&[("a", &[10.0; 5]), ("b", &[20.0; 5])]);
        for run in &mut limited.runs {
            let more = [
                ("requests", 99.0),
                ("generator_cpu_share_percent", 95.0),
                ("server_cpu_us_per_request", run.round as f64),
            ];
            run.figures.extend(more.map(|(name, value)| (name.to_owned(), Some(value))));
        }
        let mut contrast = Contrast::between("b", "a");
        let verdict = |record: &Record, contrast: &Contrast| record.finding(contrast).verdict(0.05);
        assert_eq!(verdict(&limited, &contrast), Verdict::CantTell(Why::Generator));
        // What a request costs the server is the server's.
        contrast.figure = Some("server_cpu_us_per_request".to_owned());
        assert_eq!(verdict(&limited, &contrast), Verdict::EqualWithin(0.05));
        // Most rounds decide.
        contrast.figure = None;
        let lower = |record: &mut Record, rounds: usize| {
            for run in record.runs.iter_mut().filter(|run| run.round <= rounds) {
                run.figures.insert("generator_cpu_share_percent".to_owned(), Some(50.0));
            }
        };
        lower(&mut limited, 2);
        assert_eq!(verdict(&limited, &contrast), Verdict::CantTell(Why::Generator));
        lower(&mut limited, 3);
        assert_eq!(verdict(&limited, &contrast), Verdict::Differs);
    }

    #[test]
    fn without_rounds_or_a_base_nobody_can_tell() {
        let of = |rates: &[(&str, &[f64])]| {
            record(rates).finding(&Contrast::between("b", "a")).verdict(0.05)
        };
        let (one, two): (&[f64], &[f64]) = (&[1.0; 5], &[2.0; 5]);
        assert_eq!(of(&[("a", one), ("b", two)]), Verdict::Differs);
        let few = Verdict::CantTell(Why::TooFewRounds);
        assert_eq!(of(&[("a", &[0.0; 5]), ("b", two)]), Verdict::CantTell(Why::NoRatio));
        let mut lost = record(&[("a", one), ("b", two)]);
        let mine = lost.runs.iter_mut().filter(|run| run.variant == "a");
        mine.for_each(|run| run.void = Some("x".into()));
        assert_eq!(lost.finding(&Contrast::between("b", "a")).verdict(0.05), few);
    }

    #[test]
    fn ratios_are_taken_inside_a_round() {
        // The machine halves its pace in round 2; the ratio does not move.
        let record = record(&[("a", &[100.0, 50.0, 100.0]), ("b", &[300.0, 150.0, 300.0])]);
        let finding = record.finding(&Contrast::between("b", "a"));
        assert_eq!(finding.ratio, Some(Interval { median: 3.0, low: 3.0, high: 3.0 }));
    }
}
