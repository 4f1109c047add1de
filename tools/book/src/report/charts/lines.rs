//! A chart of lines: a line for each series, over the place that a description gives each variant.

use anyhow::{Result, bail};
use records::{
    base::shortest,
    description::{Experiment, Variant},
    measured::Set,
    summary::Spread,
};

use crate::report::{
    charts::{
        axis::Axis,
        drawing::{Drawing, Point, marks},
        labels::{self, End},
        named::{Named, Tone, told},
        sheet::{NARROW, Sheet, widest, width},
    },
    disturbed::Marks,
    sets::Sets,
};

/// What is free above the axes, for half of the highest number and half of a mark.
const TOP: i32 = 10;
/// Between the axes and the labels behind them.
const GAP: i32 = 24;
/// With more numbers than this the horizontal axis has round ones instead of one for each place.
const MOST_PLACES: usize = 12;
/// Of more series with a colour than this only those have theirs that the title names.
const MOST_COLOURS: usize = 6;

/// A line of a chart: where its points are.
struct Series<'a> {
    name: &'a str,
    named: Named,
    mark: &'static str,
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

    fn medians(&self, set: Set, plot: &Plot) -> Vec<Point> {
        self.measured(set).map(|(x, spread, _)| plot.place(x, spread.median)).collect()
    }

    fn law(&self, plot: &Plot) -> Vec<Point> {
        let laws = self.points.iter().filter_map(|(x, variant)| Some((x, variant.law.as_ref()?)));
        laws.map(|(x, law)| plot.place(*x, law.value)).collect()
    }

    fn end(&self, set: Set, plot: &Plot) -> End {
        let last = self.measured(set).last().map(|(_, spread, _)| spread.median);
        End {
            named: self.named.clone(),
            mark: self.mark,
            value: last.unwrap_or_default(),
            points: self.medians(set, plot),
        }
    }
}

/// What stands beside a point, and where.
struct Sign {
    words: String,
    point: Point,
    left: i32,
    wide: i32,
    middle: i32,
}

impl Sign {
    /// At the right of a point, or where there is room: left of it, above it or below it. The label of a last point is at
    /// its right, behind this edge.
    fn beside(point: Point, words: String, others: &[Sign], edge: i32, sheet: Sheet) -> Sign {
        let (x, y) = point;
        let wide = width(&words, sheet);
        // A letter with what is free above and below it.
        let high = sheet.line_height() - 2;
        let has_room = x + 8 + wide < edge;
        let at_right = has_room.then_some((x + 8, y));
        let at_left = (x - 8 - wide, y);
        let above = [1, -1, 2, -2].map(|lines| (x - wide / 2, y - lines * high));
        let is_free = |(left, middle): &Point| {
            let clear = |other: &Sign| {
                left + wide <= other.left
                    || other.left + other.wide <= *left
                    || (middle - other.middle).abs() >= high
            };
            others.iter().all(clear)
        };
        let mut all = at_right.into_iter().chain([at_left]).chain(above);
        let (left, middle) = all.find(is_free).unwrap_or(at_left);
        Sign { words, point, left, wide, middle }
    }
}

/// Where everything is.
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

/// Fails when a variant has no place on the horizontal axis.
pub fn draw(sheet: Sheet, sets: Sets, title: &str) -> Result<Drawing> {
    let mut all = series(sets.experiment())?;
    let names: Vec<&Named> = all.iter().map(|series| &series.named).collect();
    let told = told(&names, title);
    let coloured = all.iter().filter(|series| series.named.colour().is_some()).count();
    let others = match coloured > MOST_COLOURS && told.contains(&true) {
        true => Tone::Soft,
        false => Tone::Plain,
    };
    for (series, is_told) in all.iter_mut().zip(told) {
        series.named.tone = if is_told { Tone::Told } else { others };
    }
    let (x_axis, y_axis) = axes(sheet, sets);
    let is_narrow = sheet == NARROW;
    let left = widest(y_axis.ticks.iter().copied().map(shortest), sheet) + 18;
    let mut plot =
        Plot { left, right: sheet.width - GAP, bottom: TOP + sheet.height, x_axis, y_axis };
    if !is_narrow {
        let ends: Vec<End> = all.iter().map(|series| series.end(sets.ours, &plot)).collect();
        let labels = labels::labels(&ends, sheet);
        plot.right -= labels.iter().map(|label| label.width(sheet)).max().unwrap_or(0);
    }
    plot.x_axis.thin(plot.right - left, sheet);

    let mut drawing = Drawing::default();
    draw_axes(&mut drawing, &plot, sets.experiment().chart.x_label.as_deref(), sheet);
    draw_series(&mut drawing, &all, sets, &plot, sheet);
    let ends: Vec<End> = all.iter().map(|series| series.end(sets.ours, &plot)).collect();
    let labels = labels::labels(&ends, sheet);
    drawing.height = plot.bottom + 2 * sheet.line_height() + 6;
    if is_narrow {
        let top = drawing.height + 4;
        drawing.height = labels::list(&mut drawing, &labels, top, sheet);
    } else {
        labels::behind(&mut drawing, labels, plot.right, (0, plot.bottom + 6), sheet);
    }
    Ok(drawing)
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
                let named = Named::of(experiment, variant, name);
                all.push(Series { name, named, mark: "", points: vec![(x, variant)] });
            }
        }
    }
    // Lines of one colour are told apart by their marks.
    let colours: Vec<Option<&str>> = all.iter().map(|series| series.named.colour()).collect();
    for (series, mark) in all.iter_mut().zip(marks(&colours)) {
        series.mark = mark;
        series.points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    }
    Ok(all)
}

fn axes(sheet: Sheet, sets: Sets) -> (Axis, Axis) {
    let Experiment { chart, variants, .. } = sets.experiment();
    let y_axis = Axis::of(&sets.extremes(), chart.log, 5);
    let xs: Vec<f64> = variants.iter().filter_map(|variant| variant.x).collect();
    let mut x_axis = Axis::along(&xs, chart.x_log);
    if x_axis.ticks.len() > MOST_PLACES {
        x_axis.ticks = Axis::of(&xs, chart.x_log, sheet.ticks).ticks;
        x_axis.ticks.retain(|tick| (x_axis.low..=x_axis.high).contains(tick));
    }
    (x_axis, y_axis)
}

fn draw_axes(drawing: &mut Drawing, plot: &Plot, label: Option<&str>, sheet: Sheet) {
    let Plot { left, right, bottom, .. } = *plot;
    let mut grid = String::new();
    for tick in &plot.y_axis.ticks {
        let y = plot.y_axis.place(*tick, (bottom, TOP));
        grid += &format!("M{left} {y}H{right}");
        drawing.text("soft", (left - 12, y), "end", &shortest(*tick));
    }
    drawing.path("grid", &grid);
    drawing.across(&plot.x_axis, (left, right), &[(TOP, bottom)], bottom, sheet);
    if let Some(label) = label {
        let half = width(label, sheet) / 2;
        let middle = ((left + right) / 2).min(sheet.width - half).max(half);
        let at = (middle, bottom + 14 + sheet.line_height());
        drawing.text("soft", at, "middle", label);
    }
}

/// The laws, then all lines, then all marks with their intervals, so that no line lies on a mark.
fn draw_series(drawing: &mut Drawing, all: &[Series], sets: Sets, plot: &Plot, sheet: Sheet) {
    for series in all {
        let law = series.law(plot);
        if law.len() > 1 {
            drawing.line("predicted", &law);
        }
        law.iter().for_each(|at| drawing.law(*at, true));
    }
    for series in all {
        for (set, is_yours) in sets.all().zip([false, true]) {
            let medians = series.medians(set, plot);
            if medians.len() > 1 {
                drawing.line(&series.named.class("series", is_yours), &medians);
            }
        }
    }
    let mut signed: Vec<Sign> = Vec::new();
    for series in all {
        for (set, is_yours) in sets.all().zip([false, true]) {
            for (x, spread, signs) in series.measured(set) {
                drawing.interval(plot.place(x, spread.least), plot.place(x, spread.greatest));
                let at = plot.place(x, spread.median);
                drawing.mark(&series.named.class("point", is_yours), at, series.mark);
                // One sign does where points lie on each other.
                let does = |other: &Sign| {
                    let (x, y) = other.point;
                    other.words == signs && at.0 == x && (at.1 - y).abs() < sheet.text
                };
                if !signs.is_empty() && !signed.iter().any(does) {
                    let sign = Sign::beside(at, signs, &signed, plot.right, sheet);
                    drawing.text("", (sign.left, sign.middle), "start", &sign.words);
                    signed.push(sign);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_lies_on_another() {
        let mut signs: Vec<Sign> = Vec::new();
        // The last two points are near to each other.
        for x in [10, 295, 316] {
            let sign = Sign::beside((x, 100), "†".to_owned(), &signs, 316, NARROW);
            signs.push(sign);
        }
        assert_eq!((signs[0].left, signs[0].middle), (18, 100));
        assert_eq!((signs[1].left, signs[1].middle), (303, 100));
        assert!(signs[2].middle < 100, "{}", signs[2].middle);
    }
}
