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
        canvas::{Canvas, Drawing, Ink, LAW, Look, MARK, Point, styled},
        ends::{self, Drawn, End},
        legend::{self, Legend, Sample},
        sheet::{NARROW, Sheet, widest, width},
    },
    disturbed::Marks,
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
    /// Its points in a set: the place, the values over the rounds, and the signs of their marks.
    fn measured(&self, set: Set) -> impl Iterator<Item = (f64, Spread, String)> {
        self.points.iter().filter_map(move |(x, variant)| {
            let line = set.summary.line(&variant.name)?;
            Some((*x, line.metric?, Marks::of(line).signs().trim().to_owned()))
        })
    }

    fn law(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().filter_map(|(x, variant)| Some((*x, variant.law.as_ref()?.value)))
    }

    /// Everything that is drawn of it but its label.
    fn drawn(&self, sets: Sets, place: Place, right: i32, sheet: Sheet) -> Vec<Drawn> {
        let law: Vec<Point> = self.law().map(|(x, value)| place(x, value)).collect();
        let mut drawn = ends::path(&law, LAW.1);
        for set in sets.all() {
            let points: Vec<(Point, String)> =
                self.measured(set).map(|(x, it, signs)| (place(x, it.median), signs)).collect();
            let medians: Vec<Point> = points.iter().map(|point| point.0).collect();
            drawn.extend(ends::path(&medians, MARK));
            for (at, signs) in points.iter().filter(|point| !point.1.is_empty()) {
                let wide = width(signs, sheet);
                let (near, is_right) = dagger(signs, *at, right, sheet);
                let left = if is_right { near.0 } else { near.0 - wide };
                drawn.push(Drawn { from: (left, at.1), to: (left + wide, at.1), half: MARK });
            }
        }
        drawn
    }
}

/// Where the daggers of a point begin, and whether that is at its right, where there may be no room.
fn dagger(signs: &str, (x, y): Point, right: i32, sheet: Sheet) -> (Point, bool) {
    let has_room = x + 8 + width(signs, sheet) < right;
    ((if has_room { x + 8 } else { x - 8 }, y), has_room)
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
    let labels = ends::labels(&lines, sheet);
    let mut entries = legend::entries(sets, samples, follow);
    let by_sign = labels.iter().flat_map(|label| label.by_sign.clone());
    entries.extend(by_sign.map(|(server, name)| (Sample::Server(server), name)));
    let legend = Legend::lay_out(entries, sheet);

    // Half of the highest number is above the axes.
    let above = legend.height + sheet.line_height();
    let left = widest(y_axis.ticks.iter().copied().map(shortest), sheet) + 14;
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
        let place: Place = &|x, y| area.backend_coord(&(x, y));
        // The lines end a little before the axes do, and labels begin behind them.
        let last = all.iter().flat_map(|series| series.points.last()).map(|point| point.0);
        let last = place(last.fold(f64::MIN, f64::max), 0.0).0;
        let edge = if is_narrow { right } else { right.min(last + RIGHT) };
        draw_series(canvas, &all, sets, place, edge)?;
        let labels = labels.into_iter().map(|label| label.lower(above)).collect();
        let heights = (above, above + sheet.height);
        if is_narrow {
            let drawn = all.iter().flat_map(|series| series.drawn(sets, place, edge, sheet));
            let drawn: Vec<Drawn> = drawn.collect();
            return ends::between(canvas, labels, last, heights, &drawn);
        }
        ends::behind(canvas, labels, last, heights)
    })
}

fn end<'a>(series: &Series<'a>, sets: Sets, sheet: Sheet, axis: &Axis) -> End<'a> {
    let height = |value: f64| axis.map(&value, (sheet.height, 0));
    let points = series.measured(sets.ours).map(|(x, spread, _)| (x, height(spread.median)));
    End {
        name: series.name,
        ink: series.ink,
        points: points.collect(),
        law: series.law().map(|(x, value)| (x, height(value))).collect(),
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

fn axes(sheet: Sheet, sets: Sets) -> (Axis, Axis) {
    let Experiment { chart, variants, .. } = sets.experiment();
    let y_axis = Axis::of(&sets.extremes(), chart.log, 5);
    let xs: Vec<f64> = variants.iter().filter_map(|variant| variant.x).collect();
    let mut x_axis = Axis::around(&xs, chart.x_log);
    if x_axis.ticks.len() > MOST_PLACES {
        x_axis.ticks = Axis::of(&xs, chart.x_log, sheet.ticks).ticks;
        x_axis.ticks.retain(|tick| (x_axis.low..=x_axis.high).contains(tick));
    }
    (x_axis, y_axis)
}

/// The laws, then all lines, then all marks with their intervals, so that no line lies on a mark. The reader's marks are
/// hollow.
fn draw_series(
    canvas: &Canvas,
    all: &[Series],
    sets: Sets,
    place: Place,
    right: i32,
) -> Result<()> {
    for series in all {
        let points: Vec<Point> = series.law().map(|(x, value)| place(x, value)).collect();
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
            for (x, spread, signs) in series.measured(set) {
                canvas.interval(place(x, spread.least), place(x, spread.greatest))?;
                let at = place(x, spread.median);
                canvas.mark(at, index, series.ink, hollow)?;
                if !signs.is_empty() {
                    let (near, is_right) = dagger(&signs, at, right, canvas.sheet);
                    let side = if is_right { HPos::Left } else { HPos::Right };
                    canvas.text(&signs, Ink::Text, near, side)?;
                }
            }
        }
    }
    Ok(())
}
