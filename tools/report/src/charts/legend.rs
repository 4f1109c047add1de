//! The legend of a chart.

use anyhow::Result;
use plotters::style::text_anchor::HPos;
use records::store::machine_name;

use crate::{
    charts::{
        canvas::{Canvas, Point},
        ink::{Ink, Look},
        sheet::{Sheet, width, wrap},
    },
    sets::Sets,
};

/// The width of a sample in the legend.
const SAMPLE: i32 = 24;

/// What the legend shows before a text.
#[derive(Clone, Copy)]
pub enum Sample {
    Bar(Ink, Look),
    Law,
    LawLine,
    Line(Look),
    Series(usize, Ink),
}

/// The legend, laid out; a text of several lines has its sample before the first.
pub struct Legend {
    items: Vec<(Option<Sample>, String, Point)>,
    pub height: i32,
}

impl Legend {
    pub fn lay_out(entries: Vec<(Sample, String)>, sheet: Sheet) -> Legend {
        let step = sheet.text + 8;
        let mut items = Vec::new();
        let (mut x, mut y) = (1, step / 2);
        for (sample, text) in entries {
            let mut sample = Some(sample);
            let lines = wrap(&text, sheet.width - SAMPLE - 8, sheet);
            let widest = lines.iter().map(|line| width(line, sheet)).max().unwrap_or(0);
            if x > 1 && x + SAMPLE + 6 + widest > sheet.width {
                (x, y) = (1, y + step);
            }
            let several = lines.len() > 1;
            for line in lines {
                items.push((sample.take(), line, (x, y)));
                if several {
                    y += step;
                }
            }
            x = if several { 1 } else { x + SAMPLE + 6 + widest + 16 };
        }
        let height = items.iter().map(|(_, _, (_, y))| y + step / 2 + 6).max().unwrap_or(0);
        Legend { items, height }
    }

    pub fn draw(&self, canvas: &Canvas) -> Result<()> {
        for (sample, text, (x, y)) in &self.items {
            let (x, y) = (*x, *y);
            let (left, right) = (x, x + SAMPLE);
            match sample {
                Some(Sample::Bar(ink, look)) => {
                    canvas.bar((left, y - 6), (right, y + 6), *ink, *look)?;
                }
                Some(Sample::Law) => canvas.law((left + right) / 2, y - 5, y + 5)?,
                Some(Sample::LawLine) => {
                    canvas.line(&[(left, y), (right, y)], Ink::Text, Look::Dotted, 2)?;
                }
                Some(Sample::Line(look)) => {
                    canvas.line(&[(left, y), (right, y)], Ink::Text, *look, 2)?;
                }
                Some(Sample::Series(series, ink)) => {
                    canvas.line(&[(left, y), (right, y)], *ink, Look::Plain, 2)?;
                    canvas.mark(((left + right) / 2, y), *series, *ink, false)?;
                }
                None => {}
            }
            canvas.text(text, Ink::Text, (right + 6, y), HPos::Left)?;
        }
        Ok(())
    }
}

/// What every chart explains: whose figures are whose, if there are both, and what the law predicts.
pub fn of_sets(sets: Sets, [ours, yours]: [Sample; 2], law: Sample) -> Vec<(Sample, String)> {
    let mut entries = Vec::new();
    if let Some(reader) = sets.yours {
        entries.push((ours, format!("this book's machine: {}", machine_name(sets.ours.record))));
        entries.push((yours, format!("yours: {}", machine_name(reader.record))));
    }
    if sets.experiment().variants.iter().any(|variant| variant.law.is_some()) {
        entries.push((law, "what the law predicts".to_owned()));
    }
    entries
}
