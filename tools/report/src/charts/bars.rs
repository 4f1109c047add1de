//! A chart of bars: a row for each variant, and in it a bar for each machine.

use anyhow::Result;
use plotters::{prelude::ChartBuilder, style::text_anchor::HPos};
use records::{description::Variant, summary::Line};

use crate::{
    charts::{
        axis::Axis,
        canvas::{Canvas, Drawing, styled},
        ink::{Ink, Look},
        legend::{self, Legend, Sample},
        sheet::{Sheet, width, wrap},
    },
    disturbed,
    figure_names::words,
    sets::Sets,
};

/// How high a bar is, in pixels.
const THICK: i32 = 16;

/// From the top of a bar to the top of the next.
const PITCH: i32 = THICK + 5;

/// How the bars of the book's machine look, and how the reader's.
const LOOKS: [Look; 2] = [Look::Plain, Look::Hollow];

/// A row: a variant with its line in each set.
struct Row<'a> {
    variant: &'a Variant,
    ink: Ink,
    /// Its name, in lines that fit above the bars.
    name: Vec<String>,
    lines: Vec<Option<&'a Line>>,
}

impl Row<'_> {
    /// From the top of the first bar to the foot of the last.
    fn bars(&self) -> i32 {
        self.lines.len() as i32 * PITCH - (PITCH - THICK)
    }
}

/// A chart with a place for everything.
struct Bars<'a> {
    sheet: Sheet,
    rows: Vec<Row<'a>>,
    /// Names are at the left of the bars where there is room, and above them elsewhere.
    beside: bool,
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
    Drawing::of(sheet, top + area + sheet.axis_height(), |canvas| {
        bars.legend.draw(canvas)?;
        let mut chart = ChartBuilder::on(canvas.root)
            .margin_top(top)
            .margin_right(bars.right)
            .x_label_area_size(sheet.axis_height())
            .y_label_area_size(bars.left)
            .build_cartesian_2d(bars.axis.clone(), 0..area)?;
        let name = words(&sets.experiment().metric);
        let mut mesh = chart.configure_mesh();
        styled(mesh.disable_y_mesh().disable_y_axis(), &name, sheet).draw()?;
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

impl<'a> Bars<'a> {
    fn lay_out(sheet: Sheet, sets: Sets<'a>) -> Bars<'a> {
        let experiment = sets.experiment();
        let names = experiment.variants.iter().map(|variant| width(&variant.name, sheet));
        let longest = names.max().unwrap_or(0);
        let beside = longest + 12 <= sheet.width * 2 / 5;
        let left = if beside { longest + 12 } else { 6 };
        let row = |variant: &'a Variant| Row {
            variant,
            ink: Ink::of(experiment, variant),
            name: wrap(&variant.name, sheet.width - left - 8, sheet),
            lines: sets.all().map(|set| set.summary.line(&variant.name)).collect(),
        };
        let rows: Vec<Row> = experiment.variants.iter().map(row).collect();
        let lines = rows.iter().flat_map(|row| row.lines.iter().flatten());
        let values = lines.map(|line| width(&disturbed::median(line), sheet));
        let right = values.max().unwrap_or(0) + 12;
        let mut axis = match experiment.chart.log {
            true => Axis::decades(&sets.extremes()),
            false => Axis::from_zero(&sets.extremes(), sheet.ticks),
        };
        axis.thin(sheet.width - left - right, sheet);
        let samples = LOOKS.map(|look| Sample::Bar(Ink::Soft, look));
        let legend = Legend::lay_out(legend::of_sets(sets, samples, Sample::Law), sheet);
        Bars { sheet, rows, beside, left, right, axis, legend }
    }

    /// What a row has above its bars.
    fn above(&self, row: &Row) -> i32 {
        if self.beside { 0 } else { self.sheet.line_height() * row.name.len() as i32 }
    }

    /// The height of a row with the gap below it.
    fn height(&self, row: &Row) -> i32 {
        self.above(row) + row.lines.len() as i32 * PITCH + 11
    }

    fn row(&self, canvas: &Canvas, row: &Row, top: i32, across: &dyn Fn(f64) -> i32) -> Result<()> {
        let first = top + self.above(row);
        if self.beside {
            let at = (self.left - 8, first + row.bars() / 2);
            canvas.text(&row.variant.name, Ink::Text, at, HPos::Right)?;
        }
        for (index, line) in row.name.iter().enumerate().filter(|_| !self.beside) {
            let step = self.sheet.line_height();
            let at = (self.left + 5, top + step / 2 - 1 + index as i32 * step);
            canvas.text(line, Ink::Text, at, HPos::Left)?;
        }
        for (index, (line, look)) in row.lines.iter().zip(LOOKS).enumerate() {
            if let Some(line) = line {
                self.bar(canvas, line, (row.ink, look), first + index as i32 * PITCH, across)?;
            }
        }
        match &row.variant.law {
            Some(law) => canvas.law(across(law.value), first, first + row.bars()),
            None => Ok(()),
        }
    }

    /// The bar of one machine, with its whisker and its value.
    fn bar(
        &self,
        canvas: &Canvas,
        line: &Line,
        (ink, look): (Ink, Look),
        upper: i32,
        across: &dyn Fn(f64) -> i32,
    ) -> Result<()> {
        let middle = upper + THICK / 2;
        if let Some(spread) = line.metric {
            let (start, end) = (across(self.axis.low), across(spread.median));
            if self.axis.log {
                // The length of a bar means nothing on an axis without a zero.
                canvas.line(&[(start, middle), (end, middle)], ink, Look::Dotted, 2)?;
                canvas.bar((end - 5, middle - 5), (end + 5, middle + 5), ink, look)?;
            } else {
                canvas.bar((start, upper), (end, upper + THICK), ink, look)?;
            }
            if spread.least < spread.greatest {
                let [from, to] = [spread.least, spread.greatest].map(across);
                canvas.whisker((from, middle), (to, middle), Ink::Text)?;
            }
        }
        let at = (self.sheet.width - self.right + 8, middle);
        canvas.text(&disturbed::median(line), Ink::Text, at, HPos::Left)
    }
}
