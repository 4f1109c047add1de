//! A chart of bars: a row for each variant, and in it a bar for each machine.

use anyhow::Result;
use base::shortest;
use plotters::{prelude::ChartBuilder, style::text_anchor::HPos};
use records::{
    description::{Law, Variant},
    summary::Line,
};

use crate::{
    charts::{
        axis::Axis,
        canvas::{Canvas, Drawing, Ink, LAW, Look, styled},
        legend::{self, Legend, Sample},
        sheet::{Sheet, widest, width, wrap},
    },
    disturbed,
    sets::Sets,
    sign,
};

/// How high a bar is, in pixels.
const THICK: i32 = 12;
/// From the middle of a bar to the middle of the next: the interval lies between them.
const PITCH: i32 = 20;
/// From the middle of a bar to the interval below it.
const BELOW: i32 = 10;
/// From the left edge of a sign to the name behind it.
const SIGN: i32 = 29;
/// How the bars of the book's machine look, and how the reader's.
const LOOKS: [Look; 2] = [Look::Plain, Look::Hollow];

/// What stands behind a bar: its value, and of what the law predicts.
type Value = Vec<(&'static str, String)>;

/// A row: a variant with its line in each set.
struct Row<'a> {
    variant: &'a Variant,
    ink: Ink,
    /// Its name, in lines that fit above the bars.
    name: Vec<String>,
    lines: Vec<Option<&'a Line>>,
}

/// A chart with a place for everything.
struct Bars<'a> {
    sheet: Sheet,
    rows: Vec<Row<'a>>,
    /// Names are at the left of the bars where there is room, and above them elsewhere.
    beside: bool,
    /// Where names begin: behind the signs, if there are any.
    names: i32,
    /// Where the horizontal axis begins …
    left: i32,
    /// … and what is free behind its end, for the values.
    right: i32,
    axis: Axis,
    legend: Legend,
}

pub fn draw(sheet: Sheet, sets: Sets) -> Result<Drawing> {
    let bars = Bars::lay_out(sheet, sets);
    let area: i32 = bars.rows.iter().map(|row| bars.height(row)).sum::<i32>() + 4;
    let top = bars.legend.height;
    let below = sheet.axis_height(false);
    Drawing::of(sheet, top + area + below, |canvas| {
        bars.legend.draw(canvas)?;
        let mut chart = ChartBuilder::on(canvas.root)
            .margin_top(top)
            .margin_right(bars.right)
            .x_label_area_size(below)
            .y_label_area_size(bars.left)
            .build_cartesian_2d(bars.axis.clone(), 0..area)?;
        let mut mesh = chart.configure_mesh();
        styled(mesh.disable_y_mesh().disable_y_axis(), None, sheet).draw()?;
        let across = |value: f64| chart.backend_coord(&(value, 0)).0;
        let mut row_top = top + 6;
        for row in &bars.rows {
            bars.row(canvas, row, row_top, &across)?;
            row_top += bars.height(row);
        }
        let start = across(bars.axis.low);
        canvas.line(&[(start, top), (start, top + area)], Ink::Axis, Look::Plain, 1)
    })
}

/// The value of a bar, beside what the law predicts.
fn value(line: &Line, law: Option<&Law>) -> Value {
    let mut value = vec![("heading", disturbed::median(line))];
    value.extend(law.map(|law| ("soft", format!(" law {}", shortest(law.value)))));
    value
}

impl<'a> Bars<'a> {
    fn lay_out(sheet: Sheet, sets: Sets<'a>) -> Bars<'a> {
        let experiment = sets.experiment();
        let inks: Vec<Ink> =
            experiment.variants.iter().map(|variant| Ink::of(experiment, variant)).collect();
        let names = if inks.iter().any(|ink| ink.server().is_some()) { SIGN } else { 0 };
        let all = experiment.variants.iter().map(|variant| &variant.name);
        let longest = names + widest(all, sheet) + 12;
        let beside = longest <= sheet.width * 2 / 5;
        let left = if beside { longest } else { 6 };
        let row = |(variant, ink): (&'a Variant, Ink)| Row {
            variant,
            ink,
            name: wrap(&variant.name, sheet.width - left - names - 8, sheet),
            lines: sets.all().map(|set| set.summary.line(&variant.name)).collect(),
        };
        let rows: Vec<Row> = experiment.variants.iter().zip(inks).map(row).collect();
        let values = rows.iter().flat_map(|row| {
            let law = row.variant.law.as_ref();
            row.lines.iter().flatten().map(move |line| value(line, law))
        });
        let widths = values.map(|it| it.iter().map(|(_, text)| width(text, sheet)).sum::<i32>());
        let right = widths.max().unwrap_or(0) + LAW.0 + 12;
        let mut axis = Axis::of(&sets.extremes(), experiment.chart.log, sheet.ticks);
        axis.thin(sheet.width - left - right, sheet);
        let samples = LOOKS.map(|look| Sample::Bar(Ink::Soft, look));
        let legend = Legend::lay_out(legend::entries(sets, samples, false), sheet);
        Bars { sheet, rows, beside, names, left, right, axis, legend }
    }

    /// What a row has above its bars.
    fn above(&self, row: &Row) -> i32 {
        if self.beside { 0 } else { self.sheet.line_height() * row.name.len() as i32 }
    }

    /// The height of a row with the gap below it.
    fn height(&self, row: &Row) -> i32 {
        self.above(row) + row.lines.len() as i32 * PITCH + 12
    }

    fn row(&self, canvas: &Canvas, row: &Row, top: i32, across: &dyn Fn(f64) -> i32) -> Result<()> {
        let first = top + self.above(row) + THICK / 2;
        self.name(canvas, row, top, first)?;
        for (index, (line, look)) in row.lines.iter().zip(LOOKS).enumerate() {
            let middle = first + index as i32 * PITCH;
            let Some(line) = line else { continue };
            let mut end = self.bar(canvas, line, (row.ink, look), middle, across)?;
            let law = row.variant.law.as_ref();
            if let Some(law) = law {
                let x = across(law.value);
                canvas.law((x, middle), false);
                end = end.max(x + LAW.0);
            }
            canvas.words(&value(line, law), (end + 8, middle));
        }
        Ok(())
    }

    /// The sign and the name of a row, whose first bar has its middle at `first`.
    fn name(&self, canvas: &Canvas, row: &Row, top: i32, first: i32) -> Result<()> {
        let server = row.ink.server();
        let indent = if server.is_some() { self.names } else { 0 };
        let middle = first + (row.lines.len() as i32 - 1) * PITCH / 2;
        if let Some(server) = server {
            let above = top + sign::HIGH / 2 - 1;
            canvas.sign(server, (0, if self.beside { middle } else { above }));
        }
        if self.beside {
            return canvas.text(&row.variant.name, Ink::Text, (indent, middle), HPos::Left);
        }
        let step = self.sheet.line_height();
        for (index, line) in row.name.iter().enumerate() {
            let at = (indent, top + step / 2 - 2 + index as i32 * step);
            canvas.text(line, Ink::Text, at, HPos::Left)?;
        }
        Ok(())
    }

    /// The bar of one machine with its interval; where the two end.
    fn bar(
        &self,
        canvas: &Canvas,
        line: &Line,
        (ink, look): (Ink, Look),
        middle: i32,
        across: &dyn Fn(f64) -> i32,
    ) -> Result<i32> {
        let start = across(self.axis.low);
        let Some(spread) = line.metric else { return Ok(start) };
        let [from, end, to] = [spread.least, spread.median, spread.greatest].map(across);
        if self.axis.log {
            // The length of a bar means nothing on an axis without a zero.
            canvas.interval((from, middle), (to, middle))?;
            canvas.mark((end, middle), 0, ink, look == Look::Hollow)?;
            return Ok(to.max(end + LAW.0));
        }
        let half = THICK / 2;
        canvas.bar((start, middle - half), (end, middle + half), ink, look)?;
        canvas.interval((from, middle + BELOW), (to, middle + BELOW))?;
        Ok(end)
    }
}
