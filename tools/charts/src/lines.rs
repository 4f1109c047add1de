//! Draws a chart of lines: a line for each series, over the place that a description gives each variant.

use anyhow::{Result, bail};
use pictures::canvas::Canvas;
use records::{
    description::{Experiment, Law},
    difference::Spread,
};

use crate::{
    axis::Axis,
    drawing::{Drawing, Point},
    labels::Label,
    measured::Measured,
    plot::Plot,
    series::{Series, series},
};

/// The number of places from which the horizontal axis has ticks at round numbers instead of one at each place.
const MOST_PLACES: usize = 12;

/// A point of a line: its place, the values there, and the prediction of a law.
struct At<'a> {
    x: f64,
    reached: Option<Spread>,
    law: Option<&'a Law>,
}

/// A line of a chart.
type Line<'a> = Series<'a, At<'a>>;

impl Line<'_> {
    fn measured(&self) -> impl Iterator<Item = (f64, &Spread)> {
        self.points.iter().filter_map(|at| Some((at.x, at.reached.as_ref()?)))
    }

    fn medians(&self, plot: &Plot) -> Vec<Point> {
        self.measured().map(|(x, spread)| plot.place(x, spread.median)).collect()
    }

    fn law(&self, plot: &Plot) -> Vec<Point> {
        let laws = self.points.iter().filter_map(|at| Some((at.x, at.law?)));
        laws.map(|(x, law)| plot.place(x, law.value)).collect()
    }

    /// Makes its label, if it is shown.
    fn label(&self, plot: &Plot, canvas: Canvas) -> Option<Label> {
        let (x, last) = self.measured().last()?;
        let (_, end) = plot.place(x, last.median);
        self.has_label().then(|| Label::of_line(&self.named, self.mark, last.median, end, canvas))
    }
}

/// Draws the chart on a canvas. Fails when a variant has no place on the horizontal axis, or too many lines would be in
/// colour.
pub fn draw(canvas: Canvas, measured: &Measured) -> Result<Drawing> {
    let all = lines(measured)?;
    let (x_axis, y_axis) = axes(canvas, measured);
    let mut plot = Plot::of(canvas, x_axis, y_axis);
    let labels: Vec<Label> = all.iter().filter_map(|it| it.label(&plot, canvas)).collect();
    plot.make_room(&labels);

    let mut drawing = Drawing::default();
    plot.draw_axes(&mut drawing, measured.description.chart.x_label.as_deref());
    draw_series(&mut drawing, &all, &plot);
    plot.draw_labels(&mut drawing, labels);
    Ok(drawing)
}

/// Lists the lines.
fn lines(measured: &Measured) -> Result<Vec<Line<'_>>> {
    let experiment = &measured.description;
    let mut brought = Vec::new();
    for variant in &experiment.variants {
        let Some(x) = variant.x else {
            bail!(
                "the chart has lines, and the variant \"{}\" has no place on its horizontal axis; \
                 give it `x = …` in the experiment's description",
                variant.name
            );
        };
        let at = At { x, reached: measured.metric(variant), law: variant.law.as_ref() };
        brought.push((variant, vec![at]));
    }
    let mut all = series(experiment, brought)?;
    for line in &mut all {
        line.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
    Ok(all)
}

fn axes(canvas: Canvas, measured: &Measured) -> (Axis, Axis) {
    let Experiment { chart, variants, .. } = &measured.description;
    let y_axis = Axis::of(&measured.extremes(), chart.log, 5);
    let xs: Vec<f64> = variants.iter().filter_map(|variant| variant.x).collect();
    let mut x_axis = Axis::along(&xs, chart.x_log);
    if x_axis.ticks.len() > MOST_PLACES {
        x_axis.ticks = Axis::of(&xs, chart.x_log, canvas.ticks).ticks;
        x_axis.ticks.retain(|tick| (x_axis.low..=x_axis.high).contains(tick));
    }
    (x_axis, y_axis)
}

/// Draws the laws, then all lines, then all marks with their intervals, so that no line lies on a mark.
fn draw_series(drawing: &mut Drawing, all: &[Line], plot: &Plot) {
    for series in all {
        let law = series.law(plot);
        if law.len() > 1 {
            drawing.line("predicted", &law);
        }
        law.iter().for_each(|at| drawing.law(*at, true));
    }
    for series in all {
        let medians = series.medians(plot);
        if medians.len() > 1 {
            drawing.line(&series.named.class("series"), &medians);
        }
    }
    for series in all.iter().filter(|series| series.named.is_shown) {
        for (x, spread) in series.measured() {
            drawing.interval(plot.place(x, spread.least), plot.place(x, spread.greatest));
            let at = plot.place(x, spread.median);
            drawing.mark(&series.named.class("point"), at, series.mark);
        }
    }
}
