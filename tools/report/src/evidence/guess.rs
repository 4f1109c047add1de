//! A line of a chart that the reader draws before it is shown.

use anyhow::{Context, Result, ensure};
use records::description::{ChartKind, Variant};

use crate::{figure_names::words, sets::Evidence, text::escape};

/// Where the reader draws a series of an experiment's chart, which has to follow it in the page. Its script,
/// `book/law/guess.js`, hides that chart until the guess is made; without a script there is nothing but the chart.
/// Fails when the experiment was not measured, has no lines, or no such series with two points.
pub fn guess(evidence: Evidence, name: &str, series: &str) -> Result<String> {
    let sets = evidence.sets(name)?;
    let experiment = sets.experiment();
    let chart = &experiment.chart;
    ensure!(chart.kind == ChartKind::Lines, "the chart of {name} has no lines");
    let of_series = |it: &&Variant| it.series.as_deref() == Some(series);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for variant in experiment.variants.iter().filter(of_series) {
        let spread = sets.ours.summary.line(&variant.name).and_then(|line| line.metric);
        points.extend(variant.x.zip(spread.map(|spread| spread.median)));
    }
    ensure!(points.len() > 1, "{name} has no series {series:?} with two points");
    points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y:.4}")).collect();
    let ends = sets.extremes();
    let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ends.iter().copied().fold(0.0, f64::max);
    let across = chart.x_label.as_deref().context("the horizontal axis has no name")?;
    let metric = words(&experiment.metric);
    let log = |is: bool| if is { "log" } else { "linear" };
    Ok(format!(
        "<div class=\"guess\"><draw-guess data-series=\"{series}\" data-points=\"{}\" data-scales=\"{} {}\" data-ends=\"{least:.4} {most:.4}\" \
         data-across=\"{}\" data-metric=\"{}\"></draw-guess><script defer src=\"law/law.js\"></script></div>",
        points.join(", "),
        log(chart.x_log),
        log(chart.log),
        escape(across),
        escape(&metric),
        series = escape(series),
    ))
}

#[cfg(test)]
mod tests {
    use records::{
        description::Chart,
        testing::{pool, record},
    };

    use super::*;
    use crate::testing::{has, with};

    #[test]
    fn a_guess_knows_the_measured_points_and_the_axes() {
        let mut lines = record(&[("1 <b>", &[10.0, 11.0, 9.0]), ("100", &[80.0, 81.0, 79.0])]);
        let kind = ChartKind::Lines;
        let x_label = Some("clients".to_owned());
        lines.experiment.chart = Chart { kind, x_label, log: false, x_log: true };
        for (variant, x) in lines.experiment.variants.iter_mut().zip([100.0, 1.0]) {
            (variant.series, variant.x) = (Some("a \"pool\"".to_owned()), Some(x));
        }
        let guess = |record, series: &str| {
            with(record, None, |evidence| super::guess(evidence, "pool-law", series))
        };
        let text = guess(&lines, "a \"pool\"").unwrap();
        let parts = [
            "data-points=\"1 80.0000, 100 10.0000\"",
            "data-scales=\"log linear\"",
            "data-ends=\"9.0000 81.0000\"",
            "data-series=\"a &quot;pool&quot;\"",
            "data-metric=\"requests per second\"",
        ];
        has(&text, &parts);
        assert!(!text.contains('\n'), "{text}");
        let error = |record, series| guess(record, series).unwrap_err().to_string();
        assert!(error(&lines, "tokio").contains("no series \"tokio\""));
        assert!(error(&pool(), "tokio").contains("no lines"));
    }
}
