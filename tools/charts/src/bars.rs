//! Draws a chart of bars: a row for each variant; on a logarithmic axis, where the length of a bar would mean nothing, a
//! point.

use pictures::canvas::{Canvas, NARROW, widest, width, wrap};
use records::{
    base::{shortest, significant},
    description::{Law, Variant},
    difference::Spread,
};

use crate::{
    axis::Axis,
    chart::is_logarithmic,
    drawing::{DOT, Drawing, LAW},
    measured::Measured,
    named::Named,
};

/// The height of a bar, in pixels.
const THICK: i32 = 12;
/// The distance between the middles of two bars, in pixels: the interval lies between them.
const PITCH: i32 = 20;
/// The distance from the middle of a bar down to its interval, in pixels.
const BELOW: i32 = 10;
/// The distance from the left edge of a sign to the name behind it, in pixels.
const SIGN: i32 = 31;
/// The gap between rows, in pixels.
const GAP: i32 = 12;

/// A row: a variant with its values, if a run of it counts.
struct Row<'a> {
    named: Named,
    law: Option<&'a Law>,
    reached: Option<Spread>,
}

impl Row<'_> {
    /// Returns the words at the bar: the value, and the prediction of the law.
    fn value(&self) -> (String, String) {
        let value = match &self.reached {
            Some(spread) => significant(spread.median),
            None => "no run counts".to_owned(),
        };
        let law = self.law.map(|law| format!(" of {}", shortest(law.value)));
        (value, law.unwrap_or_default())
    }

    /// Returns the width of the value, in pixels.
    fn value_width(&self, canvas: Canvas) -> i32 {
        let (value, law) = self.value();
        width(&(value + &law), canvas)
    }
}

/// Sorts the rows, the greatest first, unless they are a series; a variant that was not measured comes last.
fn rows(measured: &Measured) -> Vec<Row<'_>> {
    let experiment = &measured.description;
    let mut rows = Vec::new();
    for variant in &experiment.variants {
        rows.push(Row {
            named: Named::of(experiment, variant, &variant.name),
            law: variant.law.as_ref(),
            reached: measured.metric(variant),
        });
    }
    if !are_a_series(&experiment.variants) {
        rows.sort_by(|one, other| median(other).total_cmp(&median(one)));
    }
    rows
}

fn median(row: &Row) -> f64 {
    row.reached.as_ref().map_or(f64::NEG_INFINITY, |spread| spread.median)
}

/// Tells whether the variants are named by ascending numbers, so that they keep their order.
fn are_a_series(variants: &[Variant]) -> bool {
    let numbers: Option<Vec<u64>> = variants.iter().map(|it| first_number(&it.name)).collect();
    numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, other| one < other))
}

fn first_number(name: &str) -> Option<u64> {
    name.split(|letter: char| !letter.is_alphanumeric()).find_map(|word| word.parse().ok())
}

/// Draws the chart on a canvas.
pub fn draw(canvas: Canvas, measured: &Measured) -> Drawing {
    let rows = rows(measured);
    let plot = Plot::of(canvas, measured, &rows);
    let mut drawn = Drawing::default();
    let mut top = 4;
    let mut bars: Vec<(i32, i32)> = Vec::new();
    for row in &rows {
        top = plot.row(&mut drawn, row, top, &mut bars);
    }
    let bottom = top - GAP / 2;
    // Names and values between bars have no line behind them.
    let behind = if plot.beside { vec![(0, bottom)] } else { bars };
    let mut ground = Drawing::default();
    if let Some((from, to)) = plot.band {
        for (top, end) in &behind {
            ground.bar("band", (from, *top), (to - from, end - top));
        }
    }
    ground.across(&plot.axis, (plot.left, plot.right), &behind, bottom, canvas);
    if !plot.axis.log {
        for (top, end) in behind {
            ground.line("axis", &[(plot.left, top), (plot.left, end)]);
        }
    }
    Drawing { body: ground.body + &drawn.body, height: bottom + canvas.line_height() + 6 }
}

/// The layout of the chart, in pixels.
struct Plot {
    canvas: Canvas,
    /// Whether names stand at the left of the bars and values behind them; without room both stand above.
    beside: bool,
    /// The left edge of the names: behind the signs, if there are any.
    names: i32,
    left: i32,
    right: i32,
    axis: Axis,
    /// The two ends of the grey band: the ratios of the baseline to its control.
    band: Option<(i32, i32)>,
}

impl Plot {
    fn of(canvas: Canvas, measured: &Measured, rows: &[Row]) -> Plot {
        let names = if rows.iter().any(|row| row.named.signed().is_some()) { SIGN } else { 0 };
        let longest = names + widest(rows.iter().map(|row| &row.named.words), canvas) + GAP;
        let beside = canvas != NARROW && longest <= canvas.width * 2 / 5;
        let values = rows.iter().map(|row| row.value_width(canvas));
        let (left, right) = match beside {
            true => (longest, canvas.width - values.max().unwrap_or(0) - LAW.1 - GAP),
            false => (LAW.1, canvas.width - LAW.1),
        };
        let mut axis = Axis::of(&measured.extremes(), is_logarithmic(measured), canvas.ticks);
        axis.thin(right - left, canvas);
        let band = band(measured).map(|ends| ends.map(|value| axis.place(value, (left, right))));
        let band = band.map(|[from, to]| (from, to.max(from + 1)));
        Plot { canvas, beside, names, left, right, axis, band }
    }

    fn x(&self, value: f64) -> i32 {
        self.axis.place(value, (self.left, self.right))
    }

    /// Draws a row below `top` and returns its end; adds to `bars` the top and the end of a bar that lies below its name.
    fn row(&self, drawing: &mut Drawing, row: &Row, top: i32, bars: &mut Vec<(i32, i32)>) -> i32 {
        let Plot { canvas, names, .. } = *self;
        let step = canvas.line_height();
        if self.beside {
            let middle = top + THICK / 2;
            self.sign(drawing, row, middle);
            drawing.text("", (names, middle), "start", &row.named.words);
            let end = self.bar(drawing, row, middle);
            drawing.value((end + 8, middle), "start", &row.value());
            return top + PITCH + GAP;
        }
        let room = canvas.width - names - row.value_width(canvas) - GAP;
        let words = wrap(&row.named.words, room, canvas);
        self.sign(drawing, row, top + step / 2);
        for (index, line) in words.iter().enumerate() {
            drawing.text("", (names, top + step / 2 + index as i32 * step), "start", line);
        }
        drawing.value((canvas.width, top + step / 2), "end", &row.value());
        let y = top + step * words.len() as i32;
        self.bar(drawing, row, y + 4 + THICK / 2);
        bars.push((y, y + PITCH + 2));
        y + PITCH + GAP
    }

    fn sign(&self, drawing: &mut Drawing, row: &Row, y: i32) {
        if let Some(server) = row.named.signed() {
            drawing.sign(server, (0, y));
        }
    }

    /// Draws a bar or a point with its interval and its law, and returns their right end.
    fn bar(&self, drawing: &mut Drawing, row: &Row, y: i32) -> i32 {
        let start = self.x(self.axis.low);
        let law = row.law.map(|law| self.x(law.value));
        let Some(spread) = &row.reached else { return behind_law(start, law, LAW.0) };
        let from = self.x(spread.least);
        let end = self.x(spread.median);
        let to = self.x(spread.greatest);
        if self.axis.log {
            drawing.interval((from, y), (to, y));
            law.iter().for_each(|law| drawing.law((*law, y), true));
            drawing.mark(&row.named.class("point"), (end, y), DOT);
            return behind_law(to.max(end + LAW.0), law, LAW.1);
        }
        let top = y - THICK / 2;
        drawing.bar(&row.named.class("bar"), (start, top), (end - start, THICK));
        drawing.interval((from, y + BELOW), (to, y + BELOW));
        law.iter().for_each(|law| drawing.law((*law, y), false));
        behind_law(to.max(end), law, LAW.0)
    }
}

/// Returns the first pixel behind both a bar and the mark of its law; `half` is half of the mark's width.
fn behind_law(end: i32, law: Option<i32>, half: i32) -> i32 {
    law.map_or(end, |law| end.max(law + half))
}

/// Returns the ends of the grey band: the least and the greatest ratio of control to baseline, times its median.
fn band(measured: &Measured) -> Option<[f64; 2]> {
    let baseline = measured.description.variant(measured.description.baseline())?;
    let median = measured.metric(baseline)?.median;
    let itself = measured.beside_itself()?;
    Some([median * itself.least.min(1.0), median * itself.greatest.max(1.0)])
}
