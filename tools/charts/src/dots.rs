//! Draws a chart of dots: each run that counts, over a figure that was measured in it.
//!
//! Where a rate is a share of what a server could answer a while ago, the load of a run is another than was asked for, and
//! only the run itself says which.

use anyhow::{Result, ensure};
use pictures::{
    canvas::Canvas,
    text::{capital, figure_words},
};
use records::{description::Variant, stats::median};

use crate::{
    axis::Axis,
    drawing::Drawing,
    labels::Label,
    measured::Measured,
    plot::Plot,
    series::{Series, series},
};

/// The part of a series' runs, of those furthest to the right, beside which its label stands.
const LAST: usize = 4;

/// A run: the figure along the axis, and the other.
#[derive(Clone, Copy)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
}

/// The dots of a series, from left to right.
pub type Dots<'a> = Series<'a, Dot>;

impl Dots<'_> {
    /// Returns the median of the other figure at the right end.
    fn at_the_end(&self) -> Option<f64> {
        let last: Vec<f64> = self.points.iter().rev().map(|dot| dot.y).collect();
        median(&last[..last.len().div_ceil(LAST)])
    }

    /// Makes its label, if it is shown.
    fn label(&self, plot: &Plot, canvas: Canvas) -> Option<Label> {
        let (_, end) = plot.place(self.points.last()?.x, self.at_the_end()?);
        self.has_label().then(|| Label::of_dots(&self.named, self.mark, end, canvas))
    }
}

/// Lists the series with their dots. Fails when no run has both figures, or too many series would be in colour.
pub fn dots<'a>(measured: &'a Measured, x_figure: &str, figure: &str) -> Result<Vec<Dots<'a>>> {
    let experiment = &measured.description;
    let mut brought = Vec::new();
    for variant in &experiment.variants {
        brought.push((variant, dots_of(measured, variant, x_figure, figure)));
    }
    let has_one = brought.iter().any(|(_, dots)| !dots.is_empty());
    ensure!(has_one, "no run that counts has both `{x_figure}` and `{figure}`");
    let mut all = series(experiment, brought)?;
    for series in &mut all {
        series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
    Ok(all)
}

/// Lists the runs of a variant that count and have both figures.
fn dots_of(measured: &Measured, variant: &Variant, x_figure: &str, figure: &str) -> Vec<Dot> {
    let mut dots = Vec::new();
    for run in measured.record.counted(&variant.name).into_values() {
        if let (Some(x), Some(y)) = (run.figure(x_figure), run.figure(figure)) {
            dots.push(Dot { x, y });
        }
    }
    dots
}

/// Draws the chart on a canvas. Fails when no run has both figures, or too many series would be in colour.
pub fn draw(canvas: Canvas, measured: &Measured, x_figure: &str) -> Result<Drawing> {
    let all = dots(measured, x_figure, &measured.description.metric)?;
    let chart = &measured.description.chart;
    let runs = || all.iter().flat_map(|series| &series.points);
    let xs: Vec<f64> = runs().map(|dot| dot.x).collect();
    let ys: Vec<f64> = runs().map(|dot| dot.y).collect();
    let x_axis = Axis::around(&xs, chart.x_log, canvas.ticks);
    let mut plot = Plot::of(canvas, x_axis, Axis::of(&ys, chart.log, 5));
    let labels: Vec<Label> = all.iter().filter_map(|it| it.label(&plot, canvas)).collect();
    plot.make_room(&labels);

    let mut drawing = Drawing::default();
    let x_words = capital(&figure_words(x_figure));
    plot.draw_axes(&mut drawing, Some(chart.x_label.as_deref().unwrap_or(&x_words)));
    for series in &all {
        let places: Vec<_> = series.points.iter().map(|dot| plot.place(dot.x, dot.y)).collect();
        let class = series.named.class("runs");
        match series.named.is_shown {
            true => drawing.small_marks(&class, &places, series.mark),
            false => drawing.dots(&class, &places),
        }
    }
    plot.draw_labels(&mut drawing, labels);
    Ok(drawing)
}
