//! What the ratios of an experiment say, in a paragraph.

use base::{number, significant};
use records::{
    description::{CONTROL, Experiment},
    sessions::Set,
    summary::{Interval, LEAST_ROUNDS, Line, Verdict},
};

use crate::text::{listed, plain, plural};

/// With more variants than this a sentence names only those that do not differ.
const MOST_NAMED: usize = 6;

/// What the ratios say, in sentences.
pub fn verdicts(set: Set) -> String {
    let base = plain(set.record.experiment.baseline());
    let is_compared = |line: &&Line| line.name != CONTROL && line.verdict != Verdict::Baseline;
    let lines: Vec<&Line> = set.summary.lines.iter().filter(is_compared).collect();
    let few = |line: &&Line| line.verdict == Verdict::TooFewRounds;
    if !lines.is_empty() && lines.iter().all(few) {
        let rounds = set.summary.whole_rounds;
        let are = if rounds == 1 { "is" } else { "are" };
        return format!(
            "{} {are} too few to say whether there is a difference; that takes {LEAST_ROUNDS}.",
            plural(rounds as u64, "round")
        );
    }
    let mut text = found(&lines, &base);
    let control = set.summary.line(CONTROL).and_then(|line| line.ratio);
    if let Some(control) = &control {
        let [median, low, high] = ratio_words(control);
        text += &format!(
            " The control, which is *{base}* a second time in each round, came to {median} times as much \
             ({low} to {high})."
        );
    }
    if text.contains("difference") {
        text += &what_counts(&set.record.experiment, control.is_some());
    }
    text.trim_start().to_owned()
}

/// The variants by their verdicts; nothing if there are none.
fn found(lines: &[&Line], base: &str) -> String {
    let mut clauses = Vec::new();
    for (verdict, words) in [
        (Verdict::Difference, "there is **a difference** for"),
        (Verdict::NoDifference, "**no difference was found** for"),
        (Verdict::TooFewRounds, "there are too few rounds to tell for"),
        (Verdict::NoRatio, "there is no ratio, as that is 0, for"),
    ] {
        let found = lines.iter().filter(|line| line.verdict == verdict);
        let found: Vec<String> = found.map(|line| with_ratio(line)).collect();
        if found.is_empty() {
            continue;
        }
        clauses.push(match lines.len() {
            all if verdict == Verdict::Difference && all > MOST_NAMED => {
                format!("{words} {} of {all} variants", found.len())
            }
            _ => format!("{words} {}", listed(&found)),
        });
    }
    let clauses = clauses.join("; ");
    let end = match clauses.as_str() {
        "" => return String::new(),
        named if named.contains(" times, ") => {
            "In brackets: the median of the ratios, and its interval."
        }
        _ => "The ratios are in the table.",
    };
    format!("Compared with *{base}* round by round, {clauses}. {end}")
}

fn with_ratio(line: &Line) -> String {
    let ratio = line.ratio.as_ref().map(ratio_words);
    let ratio = ratio.map(|[median, low, high]| format!(" ({median} times, {low} to {high})"));
    format!("*{}*{}", plain(&line.name), ratio.unwrap_or_default())
}

/// What this experiment calls a difference.
fn what_counts(experiment: &Experiment, has_control: bool) -> String {
    let rounded = |margin: f64| (100.0 * margin).round() / 100.0;
    let apart = match experiment.margin() {
        margin @ ..1.0 => format!("more than {} % away", rounded(100.0 * margin)),
        margin => format!("away by more than a factor of {}", rounded(1.0 + margin)),
    };
    let control =
        if has_control { ", and further than the control's interval reaches" } else { "" };
    // Up to seven rounds, chance alone is too often the reason unless all of them agree.
    let sides = match experiment.rounds {
        ..=7 => "every round",
        _ => "so many rounds that chance alone would do it in 2 % of cases at most",
    };
    format!(
        " What counts as a difference is on the same side in {sides}, and in the median {apart}{control}."
    )
}

/// A ratio, with as many digits as it takes to tell its parts from 1, up to four.
pub fn ratio_words(ratio: &Interval) -> [String; 3] {
    let values = [ratio.median, ratio.low, ratio.high];
    if values.iter().any(|value| !(0.5..2.0).contains(value)) {
        return values.map(significant);
    }
    let tells = |decimals: &usize| {
        let one = number(1.0, *decimals);
        values.iter().all(|value| *value == 1.0 || number(*value, *decimals) != one)
    };
    let decimals = (2..4).find(tells).unwrap_or(4);
    values.map(|value| number(value, decimals))
}

#[cfg(test)]
mod tests {
    use records::testing::record;

    use super::*;
    use crate::testing::with;

    #[test]
    fn many_variants_are_counted_and_not_named() {
        let names: Vec<String> = (0..9).map(|index| format!("v{index}")).collect();
        let rates: Vec<[f64; 5]> = (0..9).map(|index| [1.0 + f64::from(index); 5]).collect();
        let mut all: Vec<(&str, &[f64])> =
            names.iter().zip(&rates).map(|(name, rates)| (name.as_str(), &rates[..])).collect();
        all[8].1 = &[1.0, 1.1, 0.9, 1.0, 1.0];
        let mut all = record(&all);
        all.experiment.margin = Some(0.125);
        let text = with(&all, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        assert_eq!(
            text,
            "Compared with *v0* round by round, there is **a difference** for 7 of 8 variants; \
             **no difference was found** for *v8* (1.00 times, 0.90 to 1.10). \
             In brackets: the median of the ratios, and its interval. What counts as a difference is on the same \
             side in every round, and in the median more than 12.5 % away."
        );
        all.experiment.margin = Some(1.0);
        let text = with(&all, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        assert!(text.ends_with("in the median away by more than a factor of 2."), "{text}");
        let few = record(&[("a", &[1.0]), ("b", &[2.0])]);
        let text = with(&few, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        let words = "1 round is too few to say whether there is a difference; that takes 5.";
        assert_eq!(text, words);
    }

    #[test]
    fn a_ratio_has_the_digits_that_tell_it_from_1() {
        let words = |median, low, high| ratio_words(&Interval { median, low, high });
        assert_eq!(words(4.0, 3.9, 4.1), ["4.00", "3.90", "4.10"]);
        assert_eq!(words(1.0, 0.9, 1.1), ["1.00", "0.90", "1.10"]);
        assert_eq!(words(1.0019, 1.0008, 1.0020), ["1.002", "1.001", "1.002"]);
        assert_eq!(words(0.99997, 0.9995, 1.00001), ["1.0000", "0.9995", "1.0000"]);
    }
}
