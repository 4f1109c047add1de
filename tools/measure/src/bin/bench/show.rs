//! Prints experiments and their results on the terminal.

use records::{
    base::{number, say},
    description::Experiment,
    disturbance::is_left_out,
    stats::median,
    store::{Record, RoundRun},
};

use crate::plan::{Plan, whole_seconds};

/// Prints what would be measured of an experiment, and returns about how long that takes, in seconds.
pub fn list(name: &str, experiment: &Experiment) -> f64 {
    let seconds = whole_seconds(experiment);
    say(format_args!(
        "{name:<30} {:<22} {seconds:>5.0} s  {} rounds of {}: {}",
        experiment.page,
        experiment.rounds,
        experiment.entries().len(),
        experiment.question,
    ));
    seconds
}

/// Prints why an experiment is measured again, and what of it can't be measured.
pub fn announce(plan: &Plan) {
    let name = &plan.name;
    if let Some(why) = plan.why_again {
        say(format_args!(
            "Will measure {name} again ({why}); its record stays until that is done."
        ));
    }
    for skipped in &plan.record.session.skipped {
        say(format_args!("{name}: {skipped}"));
    }
}

/// Writes a record for the terminal, beside the book's of the same experiment: the median of each variant in both.
pub fn summary(
    name: &str,
    experiment: &Experiment,
    yours: &Record,
    book: Option<&Record>,
) -> Vec<String> {
    let mut lines = vec![
        format!("{name}: {}, medians", experiment.metric),
        format!("  {:<38} {:>14} {:>14}", "", "book", "yours"),
    ];
    for variant in experiment.entries() {
        let theirs = book.and_then(|book| median_of(book, variant, &experiment.metric));
        let ours = median_of(yours, variant, &experiment.metric);
        let [theirs, ours] = [theirs, ours].map(words);
        let law = experiment.variant(variant).and_then(|variant| variant.law.as_ref());
        let law = law.map(|law| format!("   the law says {}", number(law.value, 3)));
        lines.push(format!("  {variant:<38} {theirs:>14} {ours:>14}{}", law.unwrap_or_default()));
    }
    lines.push(format!("  {}", Counted::of(&yours.runs).words()));
    lines.extend(yours.session.skipped.iter().map(|skipped| format!("  skipped: {skipped}")));
    lines
}

/// Computes the median of a variant's runs that count; `None` where none does, or none has this figure.
fn median_of(record: &Record, variant: &str, figure: &str) -> Option<f64> {
    let values: Vec<f64> = record.values(variant, figure).into_values().collect();
    median(&values)
}

fn words(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| number(value, 3))
}

/// The number of runs that count, and of those that don't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub counted: usize,
    /// Those left out because somebody else used the machine.
    pub left_out: usize,
    /// The invalid ones, whose answers were wrong or missing.
    pub invalid: usize,
}

impl Counted {
    pub fn of(runs: &[RoundRun]) -> Counted {
        let mut all = Counted::default();
        for run in runs {
            match &run.left_out {
                None => all.counted += 1,
                Some(_) if is_left_out(run) => all.left_out += 1,
                Some(_) => all.invalid += 1,
            }
        }
        all
    }

    pub fn add(&mut self, other: Counted) {
        self.counted += other.counted;
        self.left_out += other.left_out;
        self.invalid += other.invalid;
    }

    pub fn words(self) -> String {
        let Counted { counted, left_out, invalid } = self;
        format!(
            "{counted} runs count, {left_out} left out because somebody else used the machine, {invalid} void"
        )
    }
}

#[cfg(test)]
mod tests {
    use records::{
        description::Variant,
        testing::{record, run},
    };

    use super::*;

    fn columns(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn the_books_medians_stand_beside_yours() {
        let experiment = Experiment {
            metric: "requests_per_second".to_owned(),
            variants: ["a", "b"].map(Variant::named).into(),
            ..Experiment::default()
        };
        let book = record(&[("a", &[10.0, 20.0, 30.0]), ("b", &[5.0, 6.0, 7.0])]);
        let mut yours = record(&[("a", &[11.0, 21.0, 31.0]), ("b", &[50.0, 60.0, 70.0])]);
        let mut lost = run(3, "b", 1.0);
        lost.left_out = Some("left out: the host took 9.0% of the CPU time".to_owned());
        yours.runs.push(lost);
        yours.runs[0].left_out = Some("9 errors".to_owned());
        let lines = summary("pool-law", &experiment, &yours, Some(&book));
        assert_eq!(columns(&lines[1]), ["book", "yours"]);
        assert_eq!(columns(&lines[2]), ["a", "20.000", "26.000"]);
        assert_eq!(columns(&lines[3]), ["b", "6.000", "60.000"]);
        assert!(lines[4].contains("5 runs count, 1 left out"), "{}", lines[4]);
        assert!(lines[4].ends_with("1 void"), "{}", lines[4]);
        assert_eq!(
            columns(&summary("pool-law", &experiment, &yours, None)[2]),
            ["a", "-", "26.000"]
        );
    }
}
