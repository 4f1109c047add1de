//! What a sentence of a page says of an experiment.

use anyhow::{Context, Result, bail};
use records::summary::Verdict;

use crate::{
    evidence::figures::Figures,
    figure_names::unit,
    sets::Evidence,
    text::{plural, shortest},
};

/// [`Figures::median`] with so many digits after the point, as `39.5`. It fails where that fails.
pub fn median(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
    decimals: usize,
) -> Result<String> {
    Ok(Figures::of(evidence, name)?.median(variant, figure)?.words(decimals))
}

/// [`Figures::spread`] with so many digits after the point, as `810 to 836`. It fails where that fails.
pub fn spread(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
    decimals: usize,
) -> Result<String> {
    Ok(Figures::of(evidence, name)?.spread(variant, figure)?.words(decimals))
}

/// [`Figures::times`] with so many digits after the point, as `3.99`. It fails where that fails.
pub fn times(
    evidence: Evidence,
    name: &str,
    variant: &str,
    base: Option<&str>,
    decimals: usize,
) -> Result<String> {
    Ok(Figures::of(evidence, name)?.times(variant, base)?.words(decimals))
}

/// [`Figures::interval`] with so many digits after the point, as `1.9 to 2.3`. It fails where that fails.
pub fn interval(evidence: Evidence, name: &str, variant: &str, decimals: usize) -> Result<String> {
    Ok(Figures::of(evidence, name)?.interval(variant)?.words(decimals))
}

/// [`Figures::slope`] with so many digits after the point, as `12.3`. It fails where that fails.
pub fn slope(
    evidence: Evidence,
    name: &str,
    series: &str,
    figure: &str,
    factor: f64,
    decimals: usize,
) -> Result<String> {
    Ok(Figures::of(evidence, name)?.slope(series, figure, factor)?.words(decimals))
}

/// `a difference`, `no difference found` or `too few rounds`.
///
/// # Errors
/// When there is no such experiment or variant, or it is the baseline itself.
pub fn verdict(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    match Figures::of(evidence, name)?.line(variant)?.verdict {
        Verdict::Baseline => bail!(
            "\"{variant}\" is the baseline of {name}, with which the others are compared; name another variant"
        ),
        verdict => Ok(verdict.words().to_owned()),
    }
}

/// How many rounds were measured whole.
///
/// # Errors
/// When there is no such experiment.
pub fn rounds(evidence: Evidence, name: &str) -> Result<String> {
    Ok(evidence.ours.record(name)?.summary.whole_rounds.to_string())
}

/// How many runs do not count.
///
/// # Errors
/// When there is no such experiment.
pub fn voids(evidence: Evidence, name: &str) -> Result<String> {
    Ok(evidence.ours.record(name)?.summary.voids.to_string())
}

/// `2 of 30 runs were noisy`, for a sentence.
///
/// # Errors
/// When there is no such experiment.
pub fn noisy_runs(evidence: Evidence, name: &str) -> Result<String> {
    let summary = evidence.ours.record(name)?.summary;
    let were = if summary.noisy == 1 { "was" } else { "were" };
    Ok(format!("{} of {} {were} noisy", summary.noisy, plural(summary.counted as u64, "run")))
}

/// The law of a variant with its outcome: `4 / 0.1 s = 40 requests/s`.
///
/// # Errors
/// When there is no such experiment or variant, or no law predicts it.
pub fn law_of(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    let figures = Figures::of(evidence, name)?;
    let law = figures.line(variant)?.law.as_ref();
    let law = law.with_context(|| {
        format!("no law predicts {name} \"{variant}\"; xtask/experiments/{name}.toml may give one")
    })?;
    let unit = unit(&figures.set.record.experiment.metric);
    // The descriptions are written by hand, in ASCII.
    let words = law.words.replace(" x ", " × ");
    Ok(format!("{words} = {} {unit}", shortest(law.value)).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use records::{description::CONTROL, sessions::Records, testing::pool};

    use super::*;
    use crate::{
        disturbed::MARK,
        testing::{has, with},
    };

    #[test]
    fn figures_stand_in_sentences() {
        with(&pool(), None, |evidence| {
            let four = "pool of 4";
            let one = "pool of 1";
            assert_eq!(median(evidence, "pool-law", one, None, 1).unwrap(), "9.9");
            assert_eq!(spread(evidence, "pool-law", one, None, 1).unwrap(), "9.8 to 10.0");
            // Of 39.6 / 9.9, 39 / 9.8, 39.9 / 10 and so on.
            let marked = |text: &str| format!("{text}{MARK}");
            assert_eq!(times(evidence, "pool-law", four, None, 3).unwrap(), marked("3.990"));
            assert_eq!(times(evidence, "pool-law", one, Some(four), 2).unwrap(), marked("0.25"));
            assert_eq!(times(evidence, "pool-law", CONTROL, None, 2).unwrap(), "1.00");
            assert_eq!(interval(evidence, "pool-law", four, 2).unwrap(), marked("3.98 to 4.00"));
            // One run of the four was disturbed.
            assert_eq!(median(evidence, "pool-law", four, None, 1).unwrap(), marked("39.5"));
            assert_eq!(spread(evidence, "pool-law", four, None, 0).unwrap(), marked("39 to 40"));
            assert_eq!(verdict(evidence, "pool-law", four).unwrap(), "a difference");
            assert_eq!(rounds(evidence, "pool-law").unwrap(), "5");
            assert_eq!(voids(evidence, "pool-law").unwrap(), "1");
            assert_eq!(noisy_runs(evidence, "pool-law").unwrap(), "1 of 15 runs was noisy");
            let law = law_of(evidence, "pool-law", four).unwrap();
            assert_eq!(law, "4 / 0.1 s = 40 requests/s");
        });
    }

    #[test]
    fn errors_name_what_is_missing_and_the_remedy() {
        with(&pool(), None, |evidence| {
            let error = |result: Result<String>| format!("{:#}", result.unwrap_err());
            let message = error(median(evidence, "no-such", "x", None, 0));
            let parts = [
                "no result experiments/no-such.json",
                "`cargo xtask bench --only no-such`",
                "there are pool-law",
            ];
            has(&message, &parts);
            let message = error(median(evidence, "pool-law", "pool", None, 0));
            has(&message, &["\"pool of 1\", \"pool of 4\", \"control\"", "double quotes"]);
            let message = error(median(evidence, "pool-law", "pool of 1", Some("speed"), 0));
            has(&message, &["`speed`; there are requests_per_second"]);
            assert!(error(verdict(evidence, "pool-law", "pool of 1")).contains("the baseline"));
            assert!(error(interval(evidence, "pool-law", "pool of 1", 1)).contains("no ratio"));
            assert!(error(law_of(evidence, "pool-law", "pool of 1")).contains("no law"));
        });
        let folder = tempfile::tempdir().unwrap();
        let none = Records::read(folder.path()).unwrap();
        assert!(none.is_empty());
        let evidence = Evidence { ours: &none, yours: None };
        let message = format!("{:#}", rounds(evidence, "pool-law").unwrap_err());
        has(&message, &["there are none yet"]);
        fs::create_dir(folder.path().join("experiments")).unwrap();
        fs::write(folder.path().join("experiments/a.json"), "{").unwrap();
        let message = format!("{:#}", Records::read(folder.path()).unwrap_err());
        has(&message, &["a.json is not a result"]);
    }
}
