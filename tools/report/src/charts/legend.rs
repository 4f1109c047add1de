//! What stands above a chart: whose figures are whose, if there are both, and what the law predicts. What a bar or a
//! line is stands beside it.

use anyhow::Result;
use base::shortest;
use plotters::style::text_anchor::HPos;
use records::{
    description::{ChartKind, Experiment},
    store::machine_name,
};
use servers::Sign;

use crate::{
    charts::{
        canvas::{Canvas, Ink, Look, Point},
        sheet::{Sheet, widest, wrap},
    },
    sets::Sets,
    sign,
};

/// The width of a sample in the legend.
const SAMPLE: i32 = 24;

/// What the legend shows before a text.
#[derive(Clone, Copy)]
pub enum Sample {
    Bar(Ink, Look),
    Law,
    Line(Look),
    /// From the lowest to the highest of the rounds, beside a bar or through a point of a line.
    Interval {
        upright: bool,
    },
    Server(Sign<'static>),
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
            let widest = widest(&lines, sheet);
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
                Some(Sample::Law) => canvas.law(((left + right) / 2, y), false),
                Some(Sample::Line(look)) => {
                    canvas.line(&[(left, y), (right, y)], Ink::Text, *look, 2)?;
                }
                Some(Sample::Interval { upright }) => {
                    let middle = (left + right) / 2;
                    let ends = match upright {
                        true => [(middle, y - 7), (middle, y + 7)],
                        false => [(left, y), (right, y)],
                    };
                    canvas.interval(ends[0], ends[1])?;
                }
                Some(Sample::Server(server)) => {
                    canvas.sign(*server, (right - sign::wide(*server), y))
                }
                None => {}
            }
            canvas.text(text, Ink::Text, (right + 6, y), HPos::Left)?;
        }
        Ok(())
    }
}

/// The entries of a chart; `samples` are those of the book's machine and of the reader's, and `follow` says that all
/// lines coincide with the law.
pub fn entries(sets: Sets, [ours, yours]: [Sample; 2], follow: bool) -> Vec<(Sample, String)> {
    let mut entries = Vec::new();
    if let Some(reader) = sets.yours {
        entries.push((ours, format!("this book's machine: {}", machine_name(sets.ours.record))));
        entries.push((yours, format!("yours: {}", machine_name(reader.record))));
    }
    let also = if follow { "; the lines coincide with it" } else { "" };
    entries.extend(law(sets.experiment()).map(|law| (Sample::Law, law + also)));
    let spreads = sets.all().flat_map(|set| &set.summary.lines).filter_map(|line| line.metric);
    // What is shorter is hidden below its mark.
    if spreads.into_iter().any(|it| it.greatest - it.least > 0.01 * it.greatest) {
        let upright = sets.experiment().chart.kind == ChartKind::Lines;
        entries.push((Sample::Interval { upright }, "lowest to highest round".to_owned()));
    }
    entries
}

/// The law in words, with the formula that most variants have.
fn law(experiment: &Experiment) -> Option<String> {
    let laws = experiment.variants.iter().filter_map(|it| Some((&it.name, it.law.as_ref()?)));
    let often = |words: &str| laws.clone().filter(|(_, law)| law.words == words).count();
    // Of several, the first.
    let (name, law) = laws.clone().rev().max_by_key(|(_, law)| often(&law.words))?;
    let value = shortest(law.value);
    Some(format!("what the law predicts: {value} for {name} ({})", law.words))
}
