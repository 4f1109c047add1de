//! A chart of lines: a line for each series, over the place that a description gives each variant.

use anyhow::{Result, bail};
use base::shortest;
use plotters::{coord::ranged1d::Ranged, prelude::ChartBuilder, style::text_anchor::HPos};
use records::{
    description::{Experiment, Variant},
    sessions::Set,
    summary::Spread,
};

use crate::{
    charts::{
        axis::Axis,
        canvas::{Canvas, Drawing, Point, styled},
        ends::{self, End},
        ink::{Ink, Look},
        legend::{self, Legend, Sample},
        sheet::{NARROW, Sheet, width},
    },
    disturbed::DAGGER,
    sets::Sets,
};

/// What is free at the right of the axes, besides the labels that stand there.
const RIGHT: i32 = 16;

/// With more numbers than this the horizontal axis has round ones instead of one for each place.
const MOST_PLACES: usize = 12;

/// A line of a chart: where its points are.
struct Series<'a> {
    name: &'a str,
    ink: Ink,
    points: Vec<(f64, &'a Variant)>,
}

impl Series<'_> {
    /// Its points in a set: the place, the values over the rounds, and whether the machine disturbed one of them.
    fn measured(&self, set: Set) -> impl Iterator<Item = (f64, Spread, bool)> {
        self.points.iter().filter_map(move |(x, variant)| {
            let line = set.summary.line(&variant.name)?;
            Some((*x, line.metric?, line.noisy > 0))
        })
    }
}

/// From a place on both axes to a point of the sheet.
type Place<'a> = &'a dyn Fn(f64, f64) -> Point;

pub fn draw(sheet: Sheet, sets: Sets) -> Result<Drawing> {
    let experiment = sets.experiment();
    let all = series(experiment)?;
    let (mut x_axis, y_axis) = axes(sheet, sets);
    // The heights of the lines, from the upper edge of the axes.
    let lines: Vec<End> = all.iter().map(|series| end(series, sets, sheet, &y_axis)).collect();
    let samples = [Look::Plain, Look::Dashed].map(Sample::Line);
    let follow = ends::follow_the_law(&lines);
    let legend = Legend::lay_out(legend::entries(sets, samples, follow), sheet);
    let labels = ends::labels(&lines, sheet);

    // Half of the highest number is above the axes.
    let above = legend.height + sheet.line_height();
    let numbers = y_axis.ticks.iter().map(|tick| width(&shortest(*tick), sheet));
    let left = numbers.max().unwrap_or(0) + 14;
    let is_narrow = sheet.class == NARROW.class;
    let room = if is_narrow { 0 } else { labels.iter().map(|it| it.width).max().unwrap_or(0) };
    let right = sheet.width - RIGHT - room;
    x_axis.thin(right - left, sheet);
    let below = sheet.axis_height(true);
    Drawing::of(sheet, above + sheet.height + below, |canvas| {
        legend.draw(canvas)?;
        let mut area = ChartBuilder::on(canvas.root)
            .margin_top(above)
            .margin_right(sheet.width - right)
            .x_label_area_size(below)
            .y_label_area_size(left)
            .build_cartesian_2d(x_axis, y_axis)?;
        styled(&mut area.configure_mesh(), experiment.chart.x_label.as_deref(), sheet).draw()?;
        draw_series(canvas, &all, sets, &|x, y| area.backend_coord(&(x, y)), right)?;
        // The lines end a little before the axes do.
        let last = all.iter().flat_map(|series| series.points.last()).map(|point| point.0);
        let last = area.backend_coord(&(last.fold(f64::MIN, f64::max), 0.0)).0;
        let labels = labels.into_iter().map(|label| label.lower(above)).collect();
        let between = (above, above + sheet.height);
        if is_narrow {
            ends::above(canvas, labels, last, between);
            return Ok(());
        }
        ends::behind(canvas, labels, last, between)
    })
}

/// A series as its label needs it.
fn end<'a>(series: &Series<'a>, sets: Sets, sheet: Sheet, axis: &Axis) -> End<'a> {
    let height = |value: f64| axis.map(&value, (sheet.height, 0));
    let points = series.measured(sets.ours).map(|(x, spread, _)| (x, height(spread.median)));
    let law = |(x, variant): &(f64, &Variant)| Some((*x, height(variant.law.as_ref()?.value)));
    End {
        name: series.name,
        ink: series.ink,
        points: points.collect(),
        law: series.points.iter().filter_map(law).collect(),
    }
}

fn series(experiment: &Experiment) -> Result<Vec<Series<'_>>> {
    let mut all: Vec<Series> = Vec::new();
    for variant in &experiment.variants {
        let Some(x) = variant.x else {
            bail!(
                "the chart has lines, and the variant \"{}\" has no place on its horizontal axis; \
                 give it `x = …` in the experiment's description, and measure again",
                variant.name
            );
        };
        let name = variant.series.as_deref().unwrap_or_default();
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push((x, variant)),
            None => {
                let ink = Ink::of(experiment, variant);
                all.push(Series { name, ink, points: vec![(x, variant)] });
            }
        }
    }
    for series in &mut all {
        series.points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    }
    Ok(all)
}

/// The horizontal and the vertical axis.
fn axes(sheet: Sheet, sets: Sets) -> (Axis, Axis) {
    let Experiment { chart, variants, .. } = sets.experiment();
    let ys = sets.extremes();
    let y_axis = if chart.log { Axis::decades(&ys) } else { Axis::from_zero(&ys, 5) };
    let xs: Vec<f64> = variants.iter().filter_map(|variant| variant.x).collect();
    let mut x_axis = Axis::around(&xs, chart.x_log);
    if x_axis.ticks.len() > MOST_PLACES {
        x_axis.ticks = match chart.x_log {
            true => Axis::decades(&xs).ticks,
            false => Axis::from_zero(&xs, sheet.ticks).ticks,
        };
        x_axis.ticks.retain(|tick| (x_axis.low..=x_axis.high).contains(tick));
    }
    (x_axis, y_axis)
}

/// The laws, then all lines, then all marks, so that no line lies on a mark.
fn draw_series(
    canvas: &Canvas,
    all: &[Series],
    sets: Sets,
    place: Place,
    right: i32,
) -> Result<()> {
    for series in all {
        let law = |(x, variant): &(f64, &Variant)| Some(place(*x, variant.law.as_ref()?.value));
        let points: Vec<Point> = series.points.iter().filter_map(law).collect();
        if points.len() > 1 {
            canvas.line(&points, Ink::Text, Look::Law, 1)?;
        }
        for point in points {
            canvas.law(point, true);
        }
    }
    for series in all {
        for (set, look) in sets.all().zip([Look::Plain, Look::Dashed]) {
            let medians = series.measured(set).map(|(x, spread, _)| place(x, spread.median));
            let points: Vec<Point> = medians.collect();
            if points.len() > 1 {
                canvas.line(&points, series.ink, look, 2)?;
            }
        }
    }
    for (index, series) in all.iter().enumerate() {
        for (set, hollow) in sets.all().zip([false, true]) {
            draw_marks(canvas, (index, series), (set, hollow), place, right)?;
        }
    }
    Ok(())
}

/// The marks of a series in one set, with their intervals. The reader's are hollow.
fn draw_marks(
    canvas: &Canvas,
    (index, series): (usize, &Series),
    (set, hollow): (Set, bool),
    place: Place,
    right: i32,
) -> Result<()> {
    for (x, spread, noisy) in series.measured(set) {
        canvas.interval(place(x, spread.least), place(x, spread.greatest))?;
        let at = place(x, spread.median);
        canvas.mark(at, index, series.ink, hollow)?;
        if noisy {
            let dagger = DAGGER.trim();
            // On the side where there is room.
            let has_room = at.0 + 8 + width(dagger, canvas.sheet) < right;
            let (past, side) = if has_room { (8, HPos::Left) } else { (-8, HPos::Right) };
            canvas.text(dagger, Ink::Text, (at.0 + past, at.1), side)?;
        }
    }
    Ok(())
}
