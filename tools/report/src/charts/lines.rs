//! A chart of lines: a line for each series, over the place that a description gives each variant.

use anyhow::{Result, bail};
use base::shortest;
use plotters::{prelude::ChartBuilder, style::text_anchor::HPos};
use records::{
    description::{Experiment, Variant},
    sessions::Set,
    summary::Spread,
};

use crate::{
    charts::{
        axis::Axis,
        canvas::{Canvas, Drawing, Point, styled},
        ink::{Ink, Look},
        legend::{self, Legend, Sample},
        sheet::{Sheet, width, wrap},
    },
    disturbed::DAGGER,
    figure_names::words,
    sets::Sets,
};

/// What is free at the right of the axes.
const RIGHT: i32 = 14;

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
    let named = all.iter().enumerate().filter(|(_, series)| !series.name.is_empty());
    let mut entries: Vec<(Sample, String)> = named
        .map(|(index, series)| (Sample::Series(index, series.ink), series.name.to_owned()))
        .collect();
    let samples = [Look::Plain, Look::Dashed].map(Sample::Line);
    entries.extend(legend::of_sets(sets, samples, Sample::LawLine));
    let legend = Legend::lay_out(entries, sheet);

    let step = sheet.line_height();
    // The name of the vertical axis is above it, where it can be read without turning one's head.
    let title = wrap(&words(&experiment.metric), sheet.width - 8, sheet);
    let above = legend.height + title.len() as i32 * step + step / 2;
    let labels = y_axis.ticks.iter().map(|tick| width(&shortest(*tick), sheet));
    let left = labels.max().unwrap_or(0) + 14;
    x_axis.thin(sheet.width - left - RIGHT, sheet);
    Drawing::of(sheet, above + sheet.height + sheet.axis_height(), |canvas| {
        legend.draw(canvas)?;
        for (index, line) in title.iter().enumerate() {
            let y = legend.height + step / 2 + index as i32 * step;
            canvas.text(line, Ink::Text, (2, y), HPos::Left)?;
        }
        let mut area = ChartBuilder::on(canvas.root)
            .margin_top(above)
            .margin_right(RIGHT)
            .x_label_area_size(sheet.axis_height())
            .y_label_area_size(left)
            .build_cartesian_2d(x_axis, y_axis)?;
        let name = experiment.chart.x_label.clone().unwrap_or_default();
        styled(&mut area.configure_mesh(), &name, sheet).draw()?;
        draw_series(canvas, &all, sets, &|x, y| area.backend_coord(&(x, y)))
    })
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
fn draw_series(canvas: &Canvas, all: &[Series], sets: Sets, place: Place) -> Result<()> {
    for series in all {
        let law = |(x, variant): &(f64, &Variant)| Some(place(*x, variant.law.as_ref()?.value));
        let points: Vec<Point> = series.points.iter().filter_map(law).collect();
        if points.len() > 1 {
            canvas.line(&points, Ink::Text, Look::Dotted, 2)?;
        }
        for (x, y) in points {
            canvas.line(&[(x - 7, y), (x + 7, y)], Ink::Text, Look::Plain, 2)?;
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
            draw_marks(canvas, (index, series), set, hollow, place)?;
        }
    }
    Ok(())
}

/// The marks of a series in one set, with their whiskers. The reader's are hollow.
fn draw_marks(
    canvas: &Canvas,
    (index, series): (usize, &Series),
    set: Set,
    hollow: bool,
    place: Place,
) -> Result<()> {
    for (x, spread, noisy) in series.measured(set) {
        if spread.least < spread.greatest {
            let (least, greatest) = (place(x, spread.least), place(x, spread.greatest));
            canvas.whisker(least, greatest, series.ink)?;
        }
        let at = place(x, spread.median);
        canvas.mark(at, index, series.ink, hollow)?;
        if noisy {
            let dagger = DAGGER.trim();
            // On the side where there is room.
            let has_room = at.0 + 8 + width(dagger, canvas.sheet) < canvas.sheet.width - RIGHT;
            let (past, side) = if has_room { (8, HPos::Left) } else { (-8, HPos::Right) };
            canvas.text(dagger, Ink::Text, (at.0 + past, at.1), side)?;
        }
    }
    Ok(())
}
