//! Draws a chart of lines: a line for each series, over the place that a description gives each variant.

use anyhow::{Result, bail, ensure};
use pictures::canvas::{Canvas, NARROW, widest, width};
use records::{
    base::shortest,
    description::{Experiment, Law},
    difference::Spread,
};

use crate::{
    axis::Axis,
    drawing::{Drawing, Point, marks},
    labels::{self, Label},
    measured::Measured,
    named::Named,
};

/// The room above the axes, in pixels, for half of the highest tick's text and half of a mark.
const TOP: i32 = 10;
/// The gap between the axes and the labels behind them, in pixels.
const GAP: i32 = 24;
/// The number of places from which the horizontal axis has ticks at round numbers instead of one at each place.
const MOST_PLACES: usize = 12;
/// The most lines in colour: a reader tells no more apart, so a description names those that count.
const MOST_SHOWN: usize = 4;

/// A point of a line: its place, the values there, and the prediction of a law.
struct At<'a> {
    x: f64,
    reached: Option<Spread>,
    law: Option<&'a Law>,
}

/// A line of a chart.
struct Series<'a> {
    name: &'a str,
    named: Named,
    mark: &'static str,
    points: Vec<At<'a>>,
}

impl Series<'_> {
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
        let has_name = self.named.is_shown && !self.named.words.is_empty();
        has_name.then(|| Label::of(&self.named, self.mark, last.median, end, canvas))
    }
}

/// The layout of the chart, in pixels.
struct Plot {
    left: i32,
    right: i32,
    bottom: i32,
    x_axis: Axis,
    y_axis: Axis,
}

impl Plot {
    fn place(&self, x: f64, y: f64) -> Point {
        let across = self.x_axis.place(x, (self.left, self.right));
        (across, self.y_axis.place(y, (self.bottom, TOP)))
    }
}

/// Draws the chart on a canvas. Fails when a variant has no place on the horizontal axis, or too many lines would be in
/// colour.
pub fn draw(canvas: Canvas, measured: &Measured) -> Result<Drawing> {
    let all = series(measured)?;
    let (x_axis, y_axis) = axes(canvas, measured);
    let is_narrow = canvas == NARROW;
    let left = widest(y_axis.ticks.iter().copied().map(shortest), canvas) + 18;
    let mut plot =
        Plot { left, right: canvas.width - GAP, bottom: TOP + canvas.height, x_axis, y_axis };
    let labels: Vec<Label> = all.iter().filter_map(|it| it.label(&plot, canvas)).collect();
    if !is_narrow {
        plot.right -= labels.iter().map(|label| label.width(canvas)).max().unwrap_or(0);
    }
    plot.x_axis.thin(plot.right - left, canvas);

    let mut drawing = Drawing::default();
    draw_axes(&mut drawing, &plot, measured.description.chart.x_label.as_deref(), canvas);
    draw_series(&mut drawing, &all, &plot);
    drawing.height = plot.bottom + 2 * canvas.line_height() + 6;
    if is_narrow {
        let top = drawing.height + 4;
        drawing.height = labels::list(&mut drawing, labels, top, canvas);
    } else {
        labels::behind(&mut drawing, labels, plot.right, (0, plot.bottom + 6), canvas);
    }
    Ok(drawing)
}

/// Lists the lines, grey ones first, so that none lies on one that is shown.
fn series(measured: &Measured) -> Result<Vec<Series<'_>>> {
    let experiment = &measured.description;
    let mut all: Vec<Series> = Vec::new();
    for variant in &experiment.variants {
        let Some(x) = variant.x else {
            bail!(
                "the chart has lines, and the variant \"{}\" has no place on its horizontal axis; \
                 give it `x = …` in the experiment's description",
                variant.name
            );
        };
        let at = At { x, reached: measured.metric(variant), law: variant.law.as_ref() };
        let name = variant.series.as_deref().unwrap_or_default();
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(at),
            None => {
                let named = Named::of(experiment, variant, name);
                all.push(Series { name, named, mark: "", points: vec![at] });
            }
        }
    }
    let shown = all.iter().filter(|series| series.named.is_shown).count();
    ensure!(
        shown <= MOST_SHOWN,
        "{shown} lines would be in colour, and a reader tells {MOST_SHOWN} apart; \
         name those that the title is about in `chart.shown`"
    );
    // Lines of one colour are told apart by their marks.
    let colours: Vec<Option<&str>> = all.iter().map(|series| series.named.colour()).collect();
    for (series, mark) in all.iter_mut().zip(marks(&colours)) {
        series.mark = mark;
        series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
    all.sort_by_key(|series| series.named.is_shown);
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

fn draw_axes(drawing: &mut Drawing, plot: &Plot, label: Option<&str>, canvas: Canvas) {
    let Plot { left, right, bottom, .. } = *plot;
    let mut grid = String::new();
    for tick in &plot.y_axis.ticks {
        let y = plot.y_axis.place(*tick, (bottom, TOP));
        grid += &format!("M{left} {y}H{right}");
        drawing.text("soft", (left - 12, y), "end", &shortest(*tick));
    }
    drawing.path("grid", &grid);
    drawing.across(&plot.x_axis, (left, right), &[(TOP, bottom)], bottom, canvas);
    if let Some(label) = label {
        let half = width(label, canvas) / 2;
        let middle = ((left + right) / 2).min(canvas.width - half).max(half);
        let at = (middle, bottom + 14 + canvas.line_height());
        drawing.text("soft", at, "middle", label);
    }
}

/// Draws the laws, then all lines, then all marks with their intervals, so that no line lies on a mark.
fn draw_series(drawing: &mut Drawing, all: &[Series], plot: &Plot) {
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
