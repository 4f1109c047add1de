//! Figures of experiments as numbers, before they are put into words.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::shortest,
    difference::Difference,
    measured::Set,
    store::{Record, RoundRun},
    summary::{Line, Spread},
};

use crate::report::{disturbed::Marks, quantity::Figure, sets::Evidence, text::unit};

/// Two variants, and by which figure they are compared.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The variant in the numerator.
    pub of: &'a str,
    /// The variant in the denominator; the baseline, where this is absent.
    pub to: Option<&'a str>,
    /// The figure; the metric, where this is absent.
    pub figure: Option<&'a str>,
}

/// What the book's record of an experiment holds.
#[derive(Clone, Copy)]
pub struct Figures<'a> {
    pub(crate) name: &'a str,
    pub(crate) set: Set<'a>,
}

impl<'a> Figures<'a> {
    /// Of the experiment of this name. Fails when it was not measured.
    pub fn of(evidence: Evidence<'a>, name: &'a str) -> Result<Figures<'a>> {
        Ok(Figures { name, set: evidence.ours.record(name)? })
    }

    /// The median of a figure over the rounds; of the metric, if no figure is named.
    /// Fails when there is no such variant or figure.
    pub fn median(self, variant: &str, figure: Option<&str>) -> Result<Figure<f64>> {
        self.over_rounds(variant, figure, |spread| spread.median)
    }

    /// The least and the greatest value of a figure over the rounds; of the metric, if no figure is named.
    /// Fails when there is no such variant or figure.
    pub fn spread(self, variant: &str, figure: Option<&str>) -> Result<Figure<(f64, f64)>> {
        self.over_rounds(variant, figure, |spread| (spread.least, spread.greatest))
    }

    /// The median of the ratios of two variants, round by round. Fails when no round has both, or the second is 0.
    pub fn times(self, pair: Pair) -> Result<Figure<f64>> {
        self.over_ratios(pair, |difference| difference.median)
    }

    /// The least and the greatest of these ratios. Fails as [`times`](Figures::times) does.
    pub fn range(self, pair: Pair) -> Result<Figure<(f64, f64)>> {
        self.over_ratios(pair, |difference| (difference.least, difference.greatest))
    }

    fn over_ratios<T>(self, pair: Pair, value: fn(Difference) -> T) -> Result<Figure<T>> {
        let Figures { name, set } = self;
        let experiment = &set.record.experiment;
        let Pair { of, to, figure } = pair;
        let to = to.unwrap_or(experiment.baseline());
        self.known(of)?;
        self.known(to)?;
        let figure = figure.unwrap_or(&experiment.metric);
        let found = set.record.difference(of, to, figure).with_context(|| {
            format!("no round of {name} has the figure `{figure}` of \"{of}\" and of \"{to}\"")
        })?;
        ensure!(
            found.least.is_finite() && found.greatest.is_finite(),
            "the figure `{figure}` of {name} \"{to}\" is 0 in a round, and nothing can be divided by that"
        );
        Ok(self.marked(value(found), &[of, to], figure))
    }

    /// The law of a variant with its outcome: `4 / 0.1 s = 40 requests/s`.
    /// Fails when there is no such variant, or no law predicts it.
    pub fn law(self, variant: &str) -> Result<String> {
        let law = self.line(variant)?.law.as_ref();
        let law = law.with_context(|| {
            let name = self.name;
            format!(
                "no law predicts {name} \"{variant}\"; measurements/experiments/{name}.toml may give one"
            )
        })?;
        let unit = unit(&self.set.record.experiment.metric);
        // The descriptions are written by hand, in ASCII.
        let words = law.words.replace(" x ", " × ");
        Ok(format!("{words} = {} {unit}", shortest(law.value)).trim_end().to_owned())
    }

    /// What the rounds say about a variant. Fails when there is no such variant.
    pub fn line(self, variant: &str) -> Result<&'a Line> {
        self.known(variant)?;
        let line = self.set.summary.line(variant);
        line.with_context(|| format!("{} has no \"{variant}\"", self.name))
    }

    /// Refuses a variant that the experiment has not.
    pub(crate) fn known(self, variant: &str) -> Result<()> {
        let names = self.set.record.names();
        if names.contains(&variant) {
            return Ok(());
        }
        bail!(
            "the experiment {} has no variant \"{variant}\"; there are \"{}\"; \
             a name with spaces stands in double quotes",
            self.name,
            names.join("\", \"")
        );
    }

    fn over_rounds<T>(
        self,
        variant: &str,
        figure: Option<&str>,
        value: fn(Spread) -> T,
    ) -> Result<Figure<T>> {
        self.known(variant)?;
        let figure = figure.unwrap_or(&self.set.record.experiment.metric);
        Ok(self.marked(value(self.spread_of(variant, figure)?), &[variant], figure))
    }

    /// The values of a figure in the rounds of a variant.
    fn spread_of(self, variant: &str, figure: &str) -> Result<Spread> {
        let Figures { name, set } = self;
        ensure!(
            !(is_split(figure) && is_at_a_rate(set.record, variant)),
            "{name} \"{variant}\" was asked at a rate, so its server often slept, and the kernel samples too seldom \
             for the figure `{figure}`; the sum, `server_cpu_us_per_request`, is exact"
        );
        let values: Vec<f64> = set.record.values(variant, figure).into_values().collect();
        Spread::of(&values).with_context(|| {
            let runs = set.record.counted(variant).into_values();
            let known = runs.flat_map(|run| run.figures.iter().filter(|(_, value)| value.is_some()));
            let known: BTreeSet<&str> = known.map(|(name, _)| name.as_str()).collect();
            match known.is_empty() {
                true => format!(
                    "no run of {name} \"{variant}\" counts; `cargo xtask bench --only {name} --fresh` measures it again"
                ),
                false => format!(
                    "no run of {name} \"{variant}\" has the figure `{figure}`; there are {}",
                    known.into_iter().collect::<Vec<_>>().join(", ")
                ),
            }
        })
    }

    /// A value that comes from this figure of these variants, with what a reader has to know about it.
    fn marked<T>(self, value: T, variants: &[&str], figure: &str) -> Figure<T> {
        let has = |run: &RoundRun| records::figures::value(&run.figures, figure).is_some();
        let record = self.set.record;
        let mut runs = variants.iter().flat_map(|it| record.counted(it).into_values());
        let marks = Marks {
            is_disturbed: runs.any(|run| has(run) && (run.noisy || record.is_stolen(run))),
            is_generators: variants.iter().any(|it| record.is_generators(it, figure)),
        };
        Figure { value, marks }
    }
}

/// Whether a figure tells the CPU time inside the kernel from that outside it, which the system only samples.
fn is_split(figure: &str) -> bool {
    figure.contains("_cpu_user_") || figure.contains("_cpu_system_")
}

/// Whether the generator of a variant, or of the control, sends a stated number of requests per second.
fn is_at_a_rate(record: &Record, variant: &str) -> bool {
    let setup = record.experiment.setup(variant);
    setup.and_then(|it| it.generator).is_some_and(|words| words.iter().any(|it| it == "--rate"))
}

#[cfg(test)]
mod tests {
    use records::{description::CONTROL, measured::Records, testing::pool};

    use super::*;
    use crate::report::{
        quantity::Quantity,
        testing::{has, with},
    };

    #[test]
    fn figures_are_numbers_with_their_disturbance() {
        with(&pool(), None, |evidence| {
            let (one, four) = ("pool of 1", "pool of 4");
            let figures = Figures::of(evidence, "pool-law").unwrap();
            let number = |found: Result<_>| Quantity::Number(found.unwrap(), 2).words();
            let pair = |found: Result<_>| Quantity::Pair(found.unwrap(), 2).words();
            let of = |of, to| Pair { of, to, figure: None };
            // One run of the four was disturbed. The ratios are 39.6 / 9.9, 39 / 9.8, 39.9 / 10 and so on.
            let noisy = &Marks { is_disturbed: true, ..Marks::default() }.links()[..];
            for (words, expected, marks) in [
                (number(figures.median(one, None)), "9.90", ""),
                (number(figures.median(four, None)), "39.50", noisy),
                (pair(figures.spread(one, None)), "9.80 to 10.00", ""),
                (pair(figures.spread(four, None)), "39.00 to 39.90", noisy),
                (number(figures.times(of(four, None))), "3.99", noisy),
                (number(figures.times(of(one, Some(four)))), "0.25", noisy),
                (number(figures.times(of(CONTROL, None))), "1.00", ""),
                (pair(figures.range(of(four, None))), "3.98 to 4.00", noisy),
            ] {
                assert_eq!(words, format!("{expected}{marks}"));
            }
            assert_eq!(figures.law(four).unwrap(), "4 / 0.1 s = 40 requests/s");
        });
    }

    #[test]
    fn a_rate_of_the_generator_is_marked_and_a_cost_of_the_server_is_not() {
        let mut limited = pool();
        for run in &mut limited.runs {
            let more = [
                ("requests", 99.0),
                ("generator_cpu_share_percent", 95.0),
                ("server_cpu_us_per_request", 3.0),
            ];
            run.figures.extend(more.map(|(name, value)| (name.to_owned(), Some(value))));
        }
        with(&limited, None, |evidence| {
            let figures = Figures::of(evidence, "pool-law").unwrap();
            let median = |figure| figures.median("pool of 1", figure).unwrap();
            let words = |figure| Quantity::Number(median(figure), 1).words();
            assert!(words(None).starts_with("9.9[‡](measuring.md "), "{}", words(None));
            assert_eq!(words(Some("server_cpu_us_per_request")), "3.0");
        });
    }

    #[test]
    fn how_cpu_time_divides_is_not_told_of_a_server_that_is_asked_at_a_rate() {
        let mut rated = pool();
        for run in &mut rated.runs {
            let held = ["requests", "server_cpu_seconds", "server_cpu_user_seconds"];
            run.figures.extend(held.map(|name| (name.to_owned(), Some(2000.0))));
        }
        let told = |record: &Record, figure: &str| {
            with(record, None, |evidence| {
                let figures = Figures::of(evidence, "pool-law").unwrap();
                let median = figures.median("pool of 1", Some(figure));
                median.map(|it| it.value).map_err(|error| error.to_string())
            })
        };
        let split = ["server_cpu_user_seconds", "server_cpu_user_us_per_request"];
        assert!(split.iter().all(|figure| told(&rated, figure).is_ok()));
        rated.experiment.common.generator = Some(vec!["load".to_owned(), "--rate".to_owned()]);
        for figure in split {
            has(&told(&rated, figure).unwrap_err(), &["was asked at a rate", "is exact"]);
        }
        assert_eq!(told(&rated, "server_cpu_seconds"), Ok(2000.0));
    }

    #[test]
    fn errors_name_what_is_missing_and_the_remedy() {
        fn error<T>(result: Result<T>) -> String {
            format!("{:#}", result.err().expect("it is refused"))
        }
        with(&pool(), None, |evidence| {
            let parts = [
                "no result experiments/no-such.json",
                "`cargo xtask bench --only no-such`",
                "there are pool-law",
            ];
            has(&error(Figures::of(evidence, "no-such")), &parts);
            let figures = Figures::of(evidence, "pool-law").unwrap();
            let one = "pool of 1";
            let message = error(figures.median("pool", None));
            has(&message, &["\"pool of 1\", \"pool of 4\", \"control\"", "double quotes"]);
            let message = error(figures.median(one, Some("speed")));
            has(&message, &["`speed`; there are requests_per_second"]);
            let other = Pair { of: "pool of 4", to: None, figure: Some("latency_p50_ms") };
            has(&error(figures.times(other)), &["no round", "`latency_p50_ms` of \"pool of 4\""]);
            has(&error(figures.law(one)), &["no law"]);
        });
        let evidence = Evidence { ours: &Records::default(), yours: None };
        has(&error(Figures::of(evidence, "pool-law")), &["there are none yet"]);
    }
}
