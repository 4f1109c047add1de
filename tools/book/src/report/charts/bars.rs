//! A chart of bars: a row for each variant, and in it a bar for each machine; on a logarithmic axis, where the length of
//! a bar would mean nothing, a point.

use records::{
    base::shortest,
    description::{Law, Variant},
    summary::Line,
};

use crate::report::{
    charts::{
        axis::Axis,
        drawing::{Drawing, LAW, mark_of},
        is_logarithmic,
        named::{Named, Tone, told},
        sheet::{NARROW, Sheet, widest, width, wrap},
    },
    disturbed,
    sets::Sets,
};

/// How high a bar is, in pixels.
const THICK: i32 = 12;
/// From the middle of a bar to the middle of the next: the interval lies between them.
const PITCH: i32 = 20;
/// From the middle of a bar to the interval below it.
const BELOW: i32 = 10;
/// From the left edge of a sign to the name behind it.
const SIGN: i32 = 31;
/// What is free between rows.
const GAP: i32 = 12;

/// A row: a variant with its line in each set.
struct Row<'a> {
    named: Named,
    law: Option<&'a Law>,
    lines: Vec<Option<&'a Line>>,
}

impl Row<'_> {
    /// What the book's machine reached; nothing comes last.
    fn median(&self) -> f64 {
        let spread = self.lines[0].and_then(|line| line.metric);
        spread.map_or(f64::NEG_INFINITY, |spread| spread.median)
    }
}

/// What stands at a bar: its value, and what the law predicts.
fn value(line: &Line, law: Option<&Law>) -> (String, String) {
    let law = law.map(|law| format!(" of {}", shortest(law.value)));
    (disturbed::median(line), law.unwrap_or_default())
}

/// The rows, the greatest first, unless they are a series.
fn rows<'a>(sets: Sets<'a>, title: &str) -> Vec<Row<'a>> {
    let experiment = sets.experiment();
    let row = |variant| Row {
        named: Named::of(experiment, variant, &variant.name),
        law: variant.law.as_ref(),
        lines: sets.all().map(|set| set.summary.line(&variant.name)).collect(),
    };
    let mut rows: Vec<Row> = experiment.variants.iter().map(row).collect();
    let names: Vec<&Named> = rows.iter().map(|row| &row.named).collect();
    let told = told(&names, title);
    for (row, is_told) in rows.iter_mut().zip(told) {
        row.named.tone = if is_told { Tone::Told } else { Tone::Plain };
    }
    if !are_a_series(&experiment.variants) {
        rows.sort_by(|one, other| other.median().total_cmp(&one.median()));
    }
    rows
}

/// Whether variants have an order of their own: each is named by a number, and these ascend.
fn are_a_series(variants: &[Variant]) -> bool {
    let number = |variant: &Variant| {
        variant.name.split(|letter: char| !letter.is_alphanumeric()).find_map(|it| it.parse().ok())
    };
    let numbers: Option<Vec<u64>> = variants.iter().map(number).collect();
    numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, other| one < other))
}

pub fn draw(sheet: Sheet, sets: Sets, title: &str) -> Drawing {
    let rows = rows(sets, title);
    let plot = Plot::of(sheet, sets, &rows);
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
    ground.across(&plot.axis, (plot.left, plot.right), &behind, bottom, sheet);
    if !plot.axis.log {
        for (top, end) in behind {
            ground.line("axis", &[(plot.left, top), (plot.left, end)]);
        }
    }
    Drawing { body: ground.body + &drawn.body, height: bottom + sheet.line_height() + 6 }
}

/// Where everything is.
struct Plot {
    sheet: Sheet,
    /// Names are at the left of the bars, and values behind their ends, where there is room; elsewhere both stand above.
    beside: bool,
    /// Where names begin: behind the signs, if there are any.
    names: i32,
    left: i32,
    right: i32,
    axis: Axis,
}

impl Plot {
    fn of(sheet: Sheet, sets: Sets, rows: &[Row]) -> Plot {
        let names = if rows.iter().any(|row| row.named.server.is_some()) { SIGN } else { 0 };
        let longest = names + widest(rows.iter().map(|row| &row.named.words), sheet) + GAP;
        let beside = sheet != NARROW && longest <= sheet.width * 2 / 5;
        let values = rows.iter().flat_map(|row| {
            let values = row.lines.iter().flatten().map(|line| value(line, row.law));
            values.map(|(value, law)| width(&(value + &law), sheet))
        });
        let (left, right) = match beside {
            true => (longest, sheet.width - values.max().unwrap_or(0) - LAW.1 - GAP),
            false => (LAW.1, sheet.width - LAW.1),
        };
        let mut axis = Axis::of(&sets.extremes(), is_logarithmic(sets), sheet.ticks);
        axis.thin(right - left, sheet);
        Plot { sheet, beside, names, left, right, axis }
    }

    fn x(&self, value: f64) -> i32 {
        self.axis.place(value, (self.left, self.right))
    }

    /// Draws a row from there on down, and tells where it ends; `bars` gets the heights of bars that lie below names.
    fn row(&self, drawing: &mut Drawing, row: &Row, top: i32, bars: &mut Vec<(i32, i32)>) -> i32 {
        let Plot { sheet, names, .. } = *self;
        let step = sheet.line_height();
        if self.beside {
            let first = top + THICK / 2;
            let middle = first + (row.lines.len() as i32 - 1) * PITCH / 2;
            self.sign(drawing, row, middle);
            drawing.text("", (names, middle), "start", &row.named.words);
            for (index, line) in row.lines.iter().enumerate() {
                let middle = first + index as i32 * PITCH;
                let Some(line) = line else { continue };
                let end = self.bar(drawing, row, line, index, middle);
                drawing.value((end + 8, middle), "start", &value(line, row.law));
            }
            return top + row.lines.len() as i32 * PITCH + GAP;
        }
        let own = row.lines[0].map(|line| value(line, row.law)).unwrap_or_default();
        let room = sheet.width - names - width(&(own.0 + &own.1), sheet) - GAP;
        let words = wrap(&row.named.words, room, sheet);
        self.sign(drawing, row, top + step / 2);
        for (index, line) in words.iter().enumerate() {
            drawing.text("", (names, top + step / 2 + index as i32 * step), "start", line);
        }
        let mut y = top;
        for (index, line) in row.lines.iter().enumerate() {
            let Some(line) = line else { continue };
            let value = value(line, row.law);
            drawing.value((sheet.width, y + step / 2), "end", &value);
            y += if index == 0 { step * words.len() as i32 } else { step };
            self.bar(drawing, row, line, index, y + 4 + THICK / 2);
            bars.push((y, y + PITCH + 2));
            y += PITCH;
        }
        y + GAP
    }

    fn sign(&self, drawing: &mut Drawing, row: &Row, y: i32) {
        if let Some(server) = row.named.server {
            drawing.sign(server, (0, y));
        }
    }

    /// The bar or the point of one machine, the book's or the reader's, with its interval and its law; where they end.
    fn bar(&self, drawing: &mut Drawing, row: &Row, line: &Line, machine: usize, y: i32) -> i32 {
        let is_yours = machine > 0;
        let start = self.x(self.axis.low);
        let law = row.law.map(|law| self.x(law.value));
        let after = |end: i32, half: i32| law.map_or(end, |law| end.max(law + half));
        let Some(spread) = line.metric else { return after(start, LAW.0) };
        let [from, end, to] =
            [spread.least, spread.median, spread.greatest].map(|value| self.x(value));
        if self.axis.log {
            drawing.interval((from, y), (to, y));
            law.iter().for_each(|law| drawing.law((*law, y), true));
            drawing.mark(&row.named.class("point", is_yours), (end, y), mark_of(None, 0));
            return after(to.max(end + LAW.0), LAW.1);
        }
        let top = y - THICK / 2;
        drawing.bar(&row.named.class("bar", is_yours), (start, top), (end - start, THICK));
        drawing.interval((from, y + BELOW), (to, y + BELOW));
        law.iter().for_each(|law| drawing.law((*law, y), false));
        after(to.max(end), LAW.0)
    }
}
