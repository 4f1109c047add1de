//! Figures of experiments as numbers, before they are put into words.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use base::number;
use records::{
    sessions::Set,
    summary::{Line, Spread},
};

use crate::{
    disturbed::{MARK, is_disturbed},
    sets::Evidence,
};

/// A figure of an experiment: a number, or two with everything in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<T> {
    /// What it is, in the unit that is a part of its name.
    pub value: T,
    /// Whether the machine disturbed a run from which it comes.
    pub is_disturbed: bool,
}

impl Figure<f64> {
    /// `9.9`: with so many digits after the point, marked where the machine disturbed it.
    pub fn words(self, decimals: usize) -> String {
        number(self.value, decimals) + if self.is_disturbed { MARK } else { "" }
    }
}

impl Figure<(f64, f64)> {
    /// `810 to 836`: with so many digits after the point, marked where the machine disturbed it.
    pub fn words(self, decimals: usize) -> String {
        let Figure { value: (low, high), is_disturbed } = self;
        format!(
            "{} to {}",
            number(low, decimals),
            Figure { value: high, is_disturbed }.words(decimals)
        )
    }
}

/// The median of a figure over the rounds; of the metric, if no figure is named.
///
/// # Errors
/// When there is no such experiment, variant or figure.
pub fn median(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
) -> Result<Figure<f64>> {
    over_rounds(evidence, name, variant, figure, |spread| spread.median)
}

/// The least and the greatest value of a figure over the rounds; of the metric, if no figure is named.
///
/// # Errors
/// When there is no such experiment, variant or figure.
pub fn spread(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
) -> Result<Figure<(f64, f64)>> {
    over_rounds(evidence, name, variant, figure, |spread| (spread.least, spread.greatest))
}

/// The median of the ratios to another variant within the rounds; to the baseline, if none is named.
///
/// # Errors
/// When there is no such experiment or variant, or no round with both.
pub fn times(
    evidence: Evidence,
    name: &str,
    variant: &str,
    base: Option<&str>,
) -> Result<Figure<f64>> {
    let set = evidence.ours.record(name)?;
    let experiment = &set.record.experiment;
    let base = base.unwrap_or(experiment.baseline());
    known(name, set, variant)?;
    known(name, set, base)?;
    let ratios = set.record.ratios(variant, base, &experiment.metric);
    let spread = Spread::of(&ratios).with_context(|| {
        format!(
            "no round of {name} has a run of \"{variant}\" and one of \"{base}\" above 0 that count"
        )
    })?;
    let is_disturbed = is_disturbed(set, &[variant, base], &experiment.metric);
    Ok(Figure { value: spread.median, is_disturbed })
}

/// The 95 % interval of the ratio to the baseline.
///
/// # Errors
/// When there is no such experiment or variant, or it has no ratio.
pub fn interval(evidence: Evidence, name: &str, variant: &str) -> Result<Figure<(f64, f64)>> {
    let line = line(evidence, name, variant)?;
    let ratio = line.ratio.with_context(|| {
        format!("{name} \"{variant}\" has no ratio to the baseline: {}", line.verdict.words())
    })?;
    let set = evidence.ours.record(name)?;
    let experiment = &set.record.experiment;
    let is_disturbed = is_disturbed(set, &[variant, experiment.baseline()], &experiment.metric);
    Ok(Figure { value: (ratio.low, ratio.high), is_disturbed })
}

/// How much a figure grows with x along a series: the slope of the straight line that fits the medians best (least
/// squares), times `factor`.
///
/// # Errors
/// When there is no such experiment, series or figure, or the series has fewer than two places.
pub fn slope(
    evidence: Evidence,
    name: &str,
    series: &str,
    figure: &str,
    factor: f64,
) -> Result<Figure<f64>> {
    let set = evidence.ours.record(name)?;
    let variants = set.record.experiment.variants.iter();
    let along = variants.filter(|variant| variant.series.as_deref() == Some(series));
    let (mut points, mut names) = (Vec::new(), Vec::new());
    for variant in along {
        names.push(variant.name.as_str());
        if let Some(x) = variant.x {
            points.push((x, spread_of(name, set, &variant.name, figure)?.median));
        }
    }
    let slope = fitted_slope(&points).with_context(|| {
        format!("the experiment {name} has no series \"{series}\" with two places or more")
    })?;
    Ok(Figure { value: slope * factor, is_disturbed: is_disturbed(set, &names, figure) })
}

/// What the rounds say about a variant.
///
/// # Errors
/// When there is no such experiment or variant.
pub fn line<'a>(evidence: Evidence<'a>, name: &str, variant: &str) -> Result<&'a Line> {
    let set = evidence.ours.record(name)?;
    known(name, set, variant)?;
    set.summary.line(variant).with_context(|| format!("{name} has no \"{variant}\""))
}

/// Refuses a variant that the experiment has not.
pub fn known(name: &str, set: Set, variant: &str) -> Result<()> {
    let names = set.record.names();
    if names.contains(&variant) {
        return Ok(());
    }
    bail!(
        "the experiment {name} has no variant \"{variant}\"; there are \"{}\"; \
         a name with spaces stands in double quotes",
        names.join("\", \"")
    );
}

fn over_rounds<T>(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
    value: fn(Spread) -> T,
) -> Result<Figure<T>> {
    let set = evidence.ours.record(name)?;
    known(name, set, variant)?;
    let figure = figure.unwrap_or(&set.record.experiment.metric);
    let value = value(spread_of(name, set, variant, figure)?);
    Ok(Figure { value, is_disturbed: is_disturbed(set, &[variant], figure) })
}

/// The values of a figure in the rounds of a variant.
fn spread_of(name: &str, set: Set, variant: &str, figure: &str) -> Result<Spread> {
    let values: Vec<f64> = set.record.values(variant, figure).into_values().collect();
    Spread::of(&values).with_context(|| {
        let runs = set.record.counted(variant).into_values();
        let there: BTreeSet<&str> = runs
            .flat_map(|run| run.figures.iter())
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.as_str())
            .collect();
        match there.is_empty() {
            true => format!(
                "no run of {name} \"{variant}\" counts; `cargo xtask bench --only {name} --fresh` measures it again"
            ),
            false => format!(
                "no run of {name} \"{variant}\" has the figure `{figure}`; there are {}",
                there.into_iter().collect::<Vec<_>>().join(", ")
            ),
        }
    })
}

/// The slope of the least-squares line; `None` where all points have the same x.
fn fitted_slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let along: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (across > 0.0).then(|| along / across)
}
