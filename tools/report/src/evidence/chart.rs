//! The chart of an experiment: what it found, the drawing, and one line on how it was measured.

use anyhow::{Context, Result};
use records::description::{ChartKind, Experiment};

use crate::{
    charts,
    evidence::commands::origin_line,
    figure_names::words,
    sets::{Evidence, Sets},
    text::{capital, escape, unescaped},
};

/// The chart of an experiment, as HTML without an empty line. `id` is unique in the book; `found` is what it found, in
/// HTML, and its title where that is empty.
/// Fails when it was not measured, or has no place for a point.
pub fn chart(evidence: Evidence, id: &str, name: &str, found: &str) -> Result<String> {
    figure(evidence.sets(name)?, id, name, found)
}

/// The same of these sets.
pub(crate) fn figure(sets: Sets, id: &str, name: &str, found: &str) -> Result<String> {
    let title = match found {
        "" => escape(&sets.experiment().title),
        found => found.to_owned(),
    };
    let svg = charts::draw(id, &unescaped(&title), sets)
        .with_context(|| format!("cannot draw the experiment {name}"))?;
    Ok(format!(
        "<figure class=\"chart\">\n<p class=\"finding\">{title}</p>\n<p class=\"counts\">{}</p>\n{svg}\n\
         <figcaption>{}</figcaption>\n</figure>",
        what(sets.experiment()),
        origin_line(sets, name)
    ))
}

/// What the chart shows, and on which axes.
fn what(experiment: &Experiment) -> String {
    let chart = &experiment.chart;
    let axes = match (chart.kind, chart.log, chart.x_log) {
        (ChartKind::Bars, true, _) => " The axis is logarithmic.",
        (ChartKind::Lines, true, true) => " Both axes are logarithmic.",
        (ChartKind::Lines, true, false) => " The vertical axis is logarithmic.",
        (ChartKind::Lines, false, true) => " The horizontal axis is logarithmic.",
        (ChartKind::Bars | ChartKind::Lines, false, _) => "",
    };
    format!("{}.{axes}", escape(&capital(&words(&experiment.metric))))
}
