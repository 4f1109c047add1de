//! Charts as SVG inside the page.
//!
//! plotters maps values to places and draws the axes. It knows only fixed colours, so each thing is drawn in a
//! colour that stands for its role, and the finished text gets the theme's variables in their place
//! (`book/theme/ladder.css`). Each chart is drawn twice, for wide and for narrow columns, with text of the
//! same size; the style sheet shows the one that fits.

use std::{fmt::Write, ops::Range, sync::LazyLock};

use anyhow::{Result, bail};
use base::{number, significant};
use plotters::{
    coord::{
        Shift,
        ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter},
    },
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use records::{
    description::{ChartKind, Variant},
    sessions::Set,
    store::{Record, machine_name},
    summary::Line,
};
use regex::{Captures, Regex};

use crate::evidence::words;

/// The sheet that a chart is drawn on, in the pixels of its own coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Sheet {
    pub(crate) class: &'static str,
    pub(crate) width: i32,
    /// The size of the text.
    pub(crate) text: i32,
    /// The height of the area of a line chart.
    height: i32,
    /// About how many numbers fit below the horizontal axis.
    pub(crate) ticks: usize,
}

/// For columns of more than 580 px, where its text has at least 11 px.
pub(crate) const WIDE: Sheet = Sheet { class: "wide", width: 720, text: 14, height: 300, ticks: 6 };

/// For phones: from 280 px on, its text has at least 11 px.
pub(crate) const NARROW: Sheet =
    Sheet { class: "narrow", width: 340, text: 13, height: 240, ticks: 4 };

/// The chart of an experiment: two SVG elements on one line, of which the page shows one.
///
/// `id` must be unique in the whole book, because one page holds all others. With `yours` a second set
/// stands beside the first.
///
/// # Errors
/// When the description asks for lines and a variant has no place on the horizontal axis.
pub fn draw(id: &str, ours: Set, yours: Option<Set>) -> Result<String> {
    let mut both = String::new();
    for sheet in [WIDE, NARROW] {
        let id = format!("{id}-{}", sheet.class);
        let chart = match ours.record.experiment.chart.kind {
            ChartKind::Bars => bars(sheet, ours, yours)?,
            ChartKind::Lines => lines(sheet, ours, yours)?,
        };
        both += &finish(&id, sheet, &chart, ours, yours);
    }
    Ok(both)
}

// ---------------------------------------------------------------------------------------------
// Colours

/// What a thing is, and so which colour of the theme it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Text,
    Ground,
    Axis,
    Grid,
    Law,
    /// One of [`SERIES`] colours.
    Series(usize),
}

/// How many colours there are for series; more series begin again, with other marks.
const SERIES: usize = 8;

/// The colour of the bars on the reader's machine.
const YOURS: Ink = Ink::Series(1);

/// How a thing is filled, or its line broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    Tint,
    Hatch,
    Dashed,
    Dotted,
}

/// The colour that stands for these two until [`themed`] replaces it.
fn stand_in(ink: Ink, look: Look) -> RGBColor {
    let red = match ink {
        Ink::Text => 1,
        Ink::Ground => 2,
        Ink::Axis => 3,
        Ink::Grid => 4,
        Ink::Law => 5,
        Ink::Series(index) => 16 + (index % SERIES) as u8,
    };
    let green = match look {
        Look::Plain => 0,
        Look::Tint => 1,
        Look::Hatch => 2,
        Look::Dashed => 3,
        Look::Dotted => 4,
    };
    RGBColor(red, green, 0)
}

static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r##"(fill|stroke)="#([0-9A-F]{2})([0-9A-F]{2})00""##).expect("a correct expression")
});

static FONT_SIZE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"font-size="([0-9.]+)""#).expect("a correct expression"));

/// The drawing in the theme's colours, without what plotters writes and nobody needs.
fn themed(svg: &str, id: &str) -> String {
    let svg = STAND_IN.replace_all(svg, |found: &Captures| {
        let code = |group: usize| u8::from_str_radix(&found[group], 16).unwrap_or_default();
        let colour = match code(2) {
            1 => "currentColor".to_owned(),
            2 => "var(--bg)".to_owned(),
            3 => "var(--chart-axis)".to_owned(),
            4 => "var(--chart-grid)".to_owned(),
            5 => "var(--chart-law)".to_owned(),
            code => format!("var(--chart-{})", code.saturating_sub(15)),
        };
        let attribute = &found[1];
        match code(3) {
            1 => format!(r#"{attribute}="{colour}" {attribute}-opacity="0.45""#),
            2 => format!(r#"{attribute}="url(#{id}-hatch)""#),
            3 => format!(r#"{attribute}="{colour}" stroke-dasharray="7 4""#),
            4 => format!(r#"{attribute}="{colour}" stroke-dasharray="2 4""#),
            _ => format!(r#"{attribute}="{colour}""#),
        }
    });
    let svg = FONT_SIZE.replace_all(&svg, |found: &Captures| {
        let size: f64 = found[1].parse().unwrap_or_default();
        format!(r#"font-size="{}""#, size.round())
    });
    svg.replace(r#" opacity="1""#, "")
        .replace(r#" font-family="sans-serif""#, "")
        .replace(r#" stroke="none""#, "")
        .replace('\n', "")
}

/// The element as it stands in the page: named, described, in the theme's colours.
fn finish(id: &str, sheet: Sheet, chart: &Drawing, ours: Set, yours: Option<Set>) -> String {
    let body = chart.svg.split_once('>').map_or("", |(_, body)| body);
    let title = escape(&ours.record.experiment.title);
    let hatch = match yours {
        None => String::new(),
        Some(_) => format!(
            "<defs><pattern id=\"{id}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><path d=\"M1.5 0V6\" stroke=\"var(--chart-2)\" stroke-width=\"3\"/>\
             </pattern></defs>"
        ),
    };
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\
         <title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{}</desc>{hatch}{}",
        sheet.class,
        sheet.width,
        chart.height,
        escape(&description(ours, yours)),
        themed(body, id)
    )
}

/// The figures of a chart in words, for those who do not see it.
fn description(ours: Set, yours: Option<Set>) -> String {
    let kind = match ours.record.experiment.chart.kind {
        ChartKind::Bars => "Bars",
        ChartKind::Lines => "Lines",
    };
    let mut text = format!("{kind}: {}.", words(&ours.record.experiment.metric));
    let list = |text: &mut String, set: Set| {
        let lines = set.record.experiment.variants.iter();
        let lines: Vec<String> = lines
            .filter_map(|variant| set.summary.line(&variant.name))
            .map(|line| format!("{}: {}", line.name, value(line)))
            .collect();
        let _ = write!(text, " {}.", lines.join("; "));
    };
    if yours.is_some() {
        let _ = write!(text, " This book's machine, {}:", machine_name(ours.record));
    }
    list(&mut text, ours);
    if let Some(yours) = yours {
        let _ = write!(text, " Yours, {}:", machine_name(yours.record));
        list(&mut text, yours);
    }
    text
}

/// The text as HTML and XML have it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

// ---------------------------------------------------------------------------------------------
// Drawing

/// A finished drawing, in stand-in colours.
struct Drawing {
    svg: String,
    height: i32,
}

/// Where things are drawn; coordinates are pixels of the sheet.
struct Canvas<'a, 'b> {
    root: &'a DrawingArea<SVGBackend<'b>, Shift>,
    sheet: Sheet,
}

type Point = (i32, i32);

impl Canvas<'_, '_> {
    fn text(&self, text: &str, ink: Ink, at: Point, anchor: HPos) -> Result<()> {
        let colour = stand_in(ink, Look::Plain);
        let style = font(self.sheet).color(&colour);
        self.root.draw_text(text, &style.pos(Pos::new(anchor, VPos::Center)), at)?;
        Ok(())
    }

    fn line(&self, points: &[Point], ink: Ink, look: Look, width: u32) -> Result<()> {
        let style = stand_in(ink, look).stroke_width(width);
        self.root.draw(&PathElement::new(points.to_vec(), style))?;
        Ok(())
    }

    /// A rectangle with its outline.
    fn bar(&self, from: Point, to: Point, ink: Ink, look: Look) -> Result<()> {
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, look).filled()))?;
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, Look::Plain).stroke_width(1)))?;
        Ok(())
    }

    /// A line from the least to the greatest value with a cap at each end.
    fn whisker(&self, from: Point, to: Point, ink: Ink) -> Result<()> {
        let across = if from.1 == to.1 { (0, 4) } else { (4, 0) };
        let cap = |(x, y): Point| [(x - across.0, y - across.1), (x + across.0, y + across.1)];
        // On a ground of its own, so that it can be seen on a hatched bar.
        for (ink, width) in [(Ink::Ground, 4), (ink, 1)] {
            for points in [[from, to], cap(from), cap(to)] {
                self.line(&points, ink, Look::Plain, width)?;
            }
        }
        Ok(())
    }

    /// The mark of the series with this number: they differ by more than their colour.
    fn mark(&self, (x, y): Point, series: usize, hollow: bool) -> Result<()> {
        let around = |points: &[Point]| -> Vec<Point> {
            points.iter().map(|(right, down)| (x + right, y + down)).collect()
        };
        let shape = match series % SERIES {
            0 => around(&[(-5, -2), (-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2)]),
            1 => around(&[(-4, -4), (4, -4), (4, 4), (-4, 4)]),
            2 => around(&[(0, -6), (5, 4), (-5, 4)]),
            3 => around(&[(0, -6), (6, 0), (0, 6), (-6, 0)]),
            4 => around(&[(0, 6), (5, -4), (-5, -4)]),
            5 => around(&[(-2, -5), (2, -5), (2, 5), (-2, 5)]),
            6 => around(&[(-6, -2), (6, -2), (6, 2), (-6, 2)]),
            _ => around(&[(-5, -5), (0, -2), (5, -5), (2, 0), (5, 5), (0, 2), (-5, 5), (-2, 0)]),
        };
        let ink = Ink::Series(series);
        let inside = if hollow { Ink::Ground } else { ink };
        let mut outline = shape.clone();
        outline.extend(shape.first());
        self.root.draw(&Polygon::new(shape, stand_in(inside, Look::Plain)))?;
        self.line(&outline, ink, Look::Plain, 1)
    }

    /// The place that the law predicts on a bar that lies between these heights.
    fn law(&self, x: i32, top: i32, bottom: i32) -> Result<()> {
        self.line(&[(x, top), (x, bottom)], Ink::Law, Look::Plain, 2)?;
        for (y, side) in [(top, -1), (bottom, 1)] {
            let arrow = vec![(x, y), (x - 4, y + 5 * side), (x + 4, y + 5 * side)];
            self.root.draw(&Polygon::new(arrow, stand_in(Ink::Law, Look::Plain)))?;
        }
        Ok(())
    }

    fn legend(&self, legend: &Legend) -> Result<()> {
        for (sample, text, (x, y)) in &legend.items {
            let (x, y) = (*x, *y);
            let (left, right) = (x, x + SAMPLE);
            match sample {
                Some(Sample::Bar(ink, look)) => {
                    self.bar((left, y - 6), (right, y + 6), *ink, *look)?;
                }
                Some(Sample::Law) => self.law((left + right) / 2, y - 5, y + 5)?,
                Some(Sample::LawLine) => {
                    self.line(&[(left, y), (right, y)], Ink::Law, Look::Dotted, 2)?;
                }
                Some(Sample::Line(look)) => {
                    self.line(&[(left, y), (right, y)], Ink::Text, *look, 2)?;
                }
                Some(Sample::Series(series)) => {
                    self.line(&[(left, y), (right, y)], Ink::Series(*series), Look::Plain, 2)?;
                    self.mark(((left + right) / 2, y), *series, false)?;
                }
                None => {}
            }
            self.text(text, Ink::Text, (right + 6, y), HPos::Left)?;
        }
        Ok(())
    }
}

fn font(sheet: Sheet) -> TextStyle<'static> {
    // plotters divides by this again for SVG.
    let size = f64::from(sheet.text) * 1.24;
    FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal).into()
}

/// About how wide a text is. Nobody can know here which font the reader has, so this is rather too much.
pub(crate) fn width(text: &str, sheet: Sheet) -> i32 {
    let em: f64 = text
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '('
            | ')' | '/' | ' ' => 0.36,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
            'A'..='Z' => 0.72,
            _ => 0.6,
        })
        .sum();
    (em * f64::from(sheet.text)).ceil() as i32
}

/// The text in lines of at most this width, broken at spaces.
pub(crate) fn wrap(text: &str, most: i32, sheet: Sheet) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, sheet) + width(" ", sheet) + width(word, sheet) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The width of a sample in the legend.
const SAMPLE: i32 = 24;

/// What the legend shows before a text.
#[derive(Clone, Copy)]
enum Sample {
    Bar(Ink, Look),
    Law,
    LawLine,
    Line(Look),
    Series(usize),
}

/// The legend, laid out; a text of several lines has its sample before the first.
struct Legend {
    items: Vec<(Option<Sample>, String, Point)>,
    height: i32,
}

impl Legend {
    fn lay_out(entries: Vec<(Sample, String)>, sheet: Sheet) -> Legend {
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
}

// ---------------------------------------------------------------------------------------------
// Axes

/// An axis: from where to where, and where its numbers stand.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    log: bool,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// From 0 to a round number.
    fn from_zero(values: &[f64], count: usize) -> Axis {
        let most = values.iter().copied().fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let step = round_step(most / count as f64);
        let steps = (most / step - 1e-9).ceil().max(1.0);
        let ticks = (0..=steps as usize).map(|index| index as f64 * step).collect();
        Axis { log: false, low: 0.0, high: steps * step, ticks }
    }

    /// In powers of ten, from a round number to a round number. What is not above 0 has no place, and is
    /// drawn at its low end.
    fn decades(values: &[f64]) -> Axis {
        let positive = || values.iter().copied().filter(|value| *value > 0.0);
        let least = positive().fold(f64::INFINITY, f64::min);
        let (least, most) = match least.is_finite() {
            true => (least, positive().fold(least, f64::max)),
            false => (1.0, 10.0),
        };
        let powers = least.log10().floor() as i32 - 1..=most.log10().ceil() as i32 + 1;
        let round: Vec<f64> = powers
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .collect();
        let below = |value: &&f64| **value <= least * 1.000_001;
        let above = |value: &&f64| **value >= most * 0.999_999;
        let low = round.iter().rfind(below).copied().unwrap_or(least);
        let mut high = round.iter().find(above).copied().unwrap_or(most);
        if high <= low {
            high = low * 10.0;
        }
        let within = |value: &f64| (low * 0.999_999..=high * 1.000_001).contains(value);
        let round: Vec<f64> = round.into_iter().filter(within).collect();
        let is_power = |value: &f64| (value.log10() - value.log10().round()).abs() < 1e-6;
        let powers: Vec<f64> = round.iter().copied().filter(is_power).collect();
        Axis { log: true, low, high, ticks: if powers.len() > 2 { powers } else { round } }
    }

    /// Just around these values, with a number at each; for the horizontal axis of lines.
    fn around(values: &[f64], log: bool) -> Axis {
        let mut ticks = values.to_vec();
        ticks.sort_unstable_by(f64::total_cmp);
        ticks.dedup();
        if log {
            ticks.retain(|value| *value > 0.0);
        }
        let (Some(low), Some(high)) = (ticks.first().copied(), ticks.last().copied()) else {
            return Axis::decades(values);
        };
        if log {
            let pad = (high / low).powf(0.04).max(1.1);
            return Axis { log, low: low / pad, high: high * pad, ticks };
        }
        let pad = ((high - low) * 0.04).max(f64::EPSILON.max(high.abs() * 0.01));
        let low = if low >= 0.0 && low < pad * 5.0 { 0.0 } else { low - pad };
        Axis { log, low, high: high + pad, ticks }
    }

    /// The value, or its logarithm.
    fn scaled(&self, value: f64) -> f64 {
        match self.log {
            true => value.max(self.low).log10(),
            false => value,
        }
    }

    /// Leaves out numbers that would stand on others, if the axis has this length. The first and the last stay.
    fn thin(&mut self, length: i32, sheet: Sheet) {
        let span = |tick: f64| {
            let middle = self.map(&tick, (0, length));
            let half = width(&shortest(tick), sheet) / 2 + 3;
            (middle - half, middle + half)
        };
        let most = self.ticks.len().saturating_sub(1);
        let mut order: Vec<usize> = (0..self.ticks.len()).collect();
        order.sort_by_key(|index| (*index != 0 && *index != most, *index));
        let mut kept: Vec<f64> = Vec::new();
        for index in order {
            let (start, end) = span(self.ticks[index]);
            let free = |other: &f64| {
                let (from, to) = span(*other);
                end <= from || to <= start
            };
            if kept.iter().all(free) {
                kept.push(self.ticks[index]);
            }
        }
        kept.sort_unstable_by(f64::total_cmp);
        self.ticks = kept;
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let (low, high) = (self.scaled(self.low), self.scaled(self.high));
        let share = (self.scaled(*value) - low) / (high - low);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // plotters asks a second time for fainter lines between those with a number; there are none.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        shortest(*value)
    }
}

/// The next of 1, 2, 5, 10, 20, … that is not smaller.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= step * 0.999_999);
    times.unwrap_or(10.0) * power
}

/// A number with as many decimals as it has, and at most six.
fn shortest(value: f64) -> String {
    let text = number(value, 6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

// ---------------------------------------------------------------------------------------------
// Bars

/// A row of a bar chart: a variant with its line in each set.
struct Row<'a> {
    name: Vec<String>,
    variant: &'a Variant,
    lines: Vec<(Option<&'a Line>, Ink, Look)>,
}

fn value(line: &Line) -> String {
    let mark = if line.noisy > 0 { NOISY } else { "" };
    line.metric
        .map_or_else(|| "no run counts".to_owned(), |spread| significant(spread.median) + mark)
}

/// What stands behind a figure that the machine may have disturbed.
pub const NOISY: &str = "\u{a0}†";

fn bars(sheet: Sheet, ours: Set, yours: Option<Set>) -> Result<Drawing> {
    let experiment = &ours.record.experiment;
    let longest =
        experiment.variants.iter().map(|variant| width(&variant.name, sheet)).max().unwrap_or(0);
    // Names stand beside the bars where there is room, and above them elsewhere.
    let beside = longest + 12 <= sheet.width * 2 / 5;
    let left = if beside { longest + 12 } else { 6 };
    let rows: Vec<Row> = experiment
        .variants
        .iter()
        .map(|variant| Row {
            name: wrap(&variant.name, sheet.width - left - 8, sheet),
            variant,
            lines: [
                Some((ours, Ink::Series(0), Look::Tint)),
                yours.map(|it| (it, YOURS, Look::Hatch)),
            ]
            .into_iter()
            .flatten()
            .map(|(set, ink, look)| (set.summary.line(&variant.name), ink, look))
            .collect(),
        })
        .collect();
    let lines = || rows.iter().flat_map(|row| row.lines.iter().filter_map(|(line, ..)| *line));
    let laws = || experiment.variants.iter().filter_map(|variant| variant.law.as_ref());
    let values: Vec<f64> = lines()
        .filter_map(|line| line.metric)
        .flat_map(|spread| [spread.least, spread.greatest])
        .chain(laws().map(|law| law.value))
        .collect();
    let right = lines().map(|line| width(&value(line), sheet)).max().unwrap_or(0) + 12;

    let mut entries = Vec::new();
    if let Some(yours) = yours {
        let text = format!("this book's machine: {}", machine_name(ours.record));
        entries.push((Sample::Bar(Ink::Series(0), Look::Tint), text));
        let text = format!("yours: {}", machine_name(yours.record));
        entries.push((Sample::Bar(YOURS, Look::Hatch), text));
    }
    if laws().next().is_some() {
        entries.push((Sample::Law, "what the law predicts".to_owned()));
    }
    let legend = Legend::lay_out(entries, sheet);

    let mut axis = match experiment.chart.log {
        true => Axis::decades(&values),
        false => Axis::from_zero(&values, sheet.ticks),
    };
    axis.thin(sheet.width - left - right, sheet);
    let (thick, gap, step) = (16, 5, sheet.text + 6);
    let above = |row: &Row| if beside { 0 } else { step * row.name.len() as i32 };
    let tall = |row: &Row| above(row) + row.lines.len() as i32 * (thick + gap) + 11;
    let area: i32 = rows.iter().map(tall).sum::<i32>() + 4;
    let below = 2 * step + 8;
    let height = legend.height + area + below;

    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (sheet.width as u32, height as u32))
            .into_drawing_area();
        let canvas = Canvas { root: &root, sheet };
        canvas.legend(&legend)?;
        let mut chart = ChartBuilder::on(&root)
            .margin_top(legend.height)
            .margin_right(right)
            .x_label_area_size(below)
            .y_label_area_size(left)
            .build_cartesian_2d(axis.clone(), 0..area)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_desc(words(&experiment.metric))
            .label_style(font(sheet).color(&stand_in(Ink::Text, Look::Plain)))
            .axis_style(stand_in(Ink::Axis, Look::Plain))
            .bold_line_style(stand_in(Ink::Grid, Look::Plain))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let across = |value: f64| chart.backend_coord(&(value, 0)).0;
        let start = across(axis.low);
        let mut top = legend.height + 6;
        for row in &rows {
            let first = top + above(row);
            if beside {
                let middle = first + (row.lines.len() as i32 * (thick + gap) - gap) / 2;
                let name = &row.variant.name;
                canvas.text(name, Ink::Text, (left - 8, middle), HPos::Right)?;
            }
            for (index, line) in row.name.iter().enumerate().filter(|_| !beside) {
                let y = top + step / 2 - 1 + index as i32 * step;
                canvas.text(line, Ink::Text, (left + 5, y), HPos::Left)?;
            }
            for (index, (line, ink, look)) in row.lines.iter().enumerate() {
                let Some(line) = line else { continue };
                let upper = first + index as i32 * (thick + gap);
                let middle = upper + thick / 2;
                if let Some(spread) = line.metric {
                    let end = across(spread.median);
                    if axis.log {
                        // The length of a bar means nothing on an axis without a zero.
                        canvas.line(&[(start, middle), (end, middle)], *ink, Look::Dotted, 2)?;
                        let (from, to) = ((end - 5, middle - 5), (end + 5, middle + 5));
                        canvas.bar(from, to, *ink, *look)?;
                    } else {
                        canvas.bar((start, upper), (end, upper + thick), *ink, *look)?;
                    }
                    if spread.least < spread.greatest {
                        let ends = (across(spread.least), across(spread.greatest));
                        canvas.whisker((ends.0, middle), (ends.1, middle), Ink::Text)?;
                    }
                }
                let at = (sheet.width - right + 8, middle);
                canvas.text(&value(line), Ink::Text, at, HPos::Left)?;
            }
            if let Some(law) = &row.variant.law {
                let bottom = first + row.lines.len() as i32 * (thick + gap) - gap;
                canvas.law(across(law.value), first, bottom)?;
            }
            top += tall(row);
        }
        let foot = legend.height + area;
        canvas.line(&[(start, legend.height), (start, foot)], Ink::Axis, Look::Plain, 1)?;
        root.present()?;
    }
    Ok(Drawing { svg, height })
}

// ---------------------------------------------------------------------------------------------
// Lines

/// A line of a chart: where its points are.
struct Series<'a> {
    name: &'a str,
    points: Vec<(f64, &'a Variant)>,
}

fn series(record: &Record) -> Result<Vec<Series<'_>>> {
    let mut all: Vec<Series> = Vec::new();
    for variant in &record.experiment.variants {
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
            None => all.push(Series { name, points: vec![(x, variant)] }),
        }
    }
    for series in &mut all {
        series.points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    }
    Ok(all)
}

fn lines(sheet: Sheet, ours: Set, yours: Option<Set>) -> Result<Drawing> {
    let experiment = &ours.record.experiment;
    let chart = &experiment.chart;
    let all = series(ours.record)?;
    let sets: Vec<(Set, bool)> =
        [(ours, false)].into_iter().chain(yours.map(|set| (set, true))).collect();
    let variants = &experiment.variants;
    let laws = || variants.iter().filter_map(|variant| variant.law.as_ref());
    let spreads = variants.iter().flat_map(|variant| {
        sets.iter().filter_map(|(set, _)| set.summary.line(&variant.name)?.metric)
    });
    let ys: Vec<f64> = spreads
        .flat_map(|spread| [spread.least, spread.greatest])
        .chain(laws().map(|law| law.value))
        .collect();
    let xs: Vec<f64> = variants.iter().filter_map(|variant| variant.x).collect();
    let y_axis = if chart.log { Axis::decades(&ys) } else { Axis::from_zero(&ys, 5) };
    let mut x_axis = Axis::around(&xs, chart.x_log);
    if x_axis.ticks.len() > 12 {
        x_axis.ticks = match chart.x_log {
            true => Axis::decades(&xs).ticks,
            false => Axis::from_zero(&xs, sheet.ticks).ticks,
        };
        x_axis.ticks.retain(|tick| (x_axis.low..=x_axis.high).contains(tick));
    }

    let mut entries = Vec::new();
    for (index, series) in all.iter().enumerate().filter(|(_, series)| !series.name.is_empty()) {
        entries.push((Sample::Series(index), series.name.to_owned()));
    }
    if let Some(yours) = yours {
        let text = format!("this book's machine: {}", machine_name(ours.record));
        entries.push((Sample::Line(Look::Plain), text));
        let text = format!("yours: {}", machine_name(yours.record));
        entries.push((Sample::Line(Look::Dashed), text));
    }
    if laws().next().is_some() {
        entries.push((Sample::LawLine, "what the law predicts".to_owned()));
    }
    let legend = Legend::lay_out(entries, sheet);

    let step = sheet.text + 6;
    // The name of the vertical axis lies above it, where it can be read without turning one's head.
    let title = wrap(&words(&experiment.metric), sheet.width - 8, sheet);
    let above = legend.height + title.len() as i32 * step + step / 2;
    let labels = y_axis.ticks.iter().map(|tick| width(&shortest(*tick), sheet));
    let left = labels.max().unwrap_or(0) + 14;
    let below = 2 * step + 8;
    let right = 14;
    x_axis.thin(sheet.width - left - right, sheet);
    let height = above + sheet.height + below;

    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (sheet.width as u32, height as u32))
            .into_drawing_area();
        let canvas = Canvas { root: &root, sheet };
        canvas.legend(&legend)?;
        for (index, line) in title.iter().enumerate() {
            let y = legend.height + step / 2 + index as i32 * step;
            canvas.text(line, Ink::Text, (2, y), HPos::Left)?;
        }
        let mut area = ChartBuilder::on(&root)
            .margin_top(above)
            .margin_right(right)
            .x_label_area_size(below)
            .y_label_area_size(left)
            .build_cartesian_2d(x_axis, y_axis)?;
        area.configure_mesh()
            .x_desc(chart.x_label.clone().unwrap_or_default())
            .label_style(font(sheet).color(&stand_in(Ink::Text, Look::Plain)))
            .axis_style(stand_in(Ink::Axis, Look::Plain))
            .bold_line_style(stand_in(Ink::Grid, Look::Plain))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let place = |x: f64, y: f64| area.backend_coord(&(x, y));
        for line in &all {
            let points: Vec<Point> = line
                .points
                .iter()
                .filter_map(|(x, variant)| Some(place(*x, variant.law.as_ref()?.value)))
                .collect();
            if points.len() > 1 {
                canvas.line(&points, Ink::Law, Look::Dotted, 2)?;
            }
            for (x, y) in points {
                canvas.line(&[(x - 7, y), (x + 7, y)], Ink::Law, Look::Plain, 2)?;
            }
        }
        // The lines first, so that no line lies on a mark.
        for marks in [false, true] {
            for ((index, line), (set, hollow)) in
                all.iter().enumerate().flat_map(|it| sets.iter().map(move |set| (it, set)))
            {
                let ink = Ink::Series(index);
                let spreads = line.points.iter().filter_map(|(x, variant)| {
                    let line = set.summary.line(&variant.name)?;
                    Some((*x, line.metric?, line.noisy > 0))
                });
                if !marks {
                    let points: Vec<Point> =
                        spreads.map(|(x, spread, _)| place(x, spread.median)).collect();
                    let look = if *hollow { Look::Dashed } else { Look::Plain };
                    if points.len() > 1 {
                        canvas.line(&points, ink, look, 2)?;
                    }
                    continue;
                }
                for (x, spread, noisy) in spreads {
                    if spread.least < spread.greatest {
                        canvas.whisker(place(x, spread.least), place(x, spread.greatest), ink)?;
                    }
                    let at = place(x, spread.median);
                    canvas.mark(at, index, *hollow)?;
                    if noisy {
                        // On the side where there is room.
                        let (past, side) = match at.0 + 8 + width("†", sheet) < sheet.width - right
                        {
                            true => (8, HPos::Left),
                            false => (-8, HPos::Right),
                        };
                        canvas.text(NOISY.trim(), Ink::Text, (at.0 + past, at.1), side)?;
                    }
                }
            }
        }
        root.present()?;
    }
    Ok(Drawing { svg, height })
}

#[cfg(test)]
mod tests {
    use records::{
        description::{Chart, Law},
        summary::Summary,
        testing::{pool, record},
    };

    use super::*;

    fn try_draw(ours: &Record, yours: Option<&Record>) -> Result<String> {
        let summaries = [Summary::of(ours), Summary::of(yours.unwrap_or(ours))];
        let ours = Set { record: ours, summary: &summaries[0] };
        let yours = yours.map(|record| Set { record, summary: &summaries[1] });
        draw("chart", ours, yours)
    }

    fn drawn(ours: &Record, yours: Option<&Record>) -> String {
        try_draw(ours, yours).unwrap()
    }

    /// A record of two series over an axis.
    fn sweep() -> Record {
        let mut sweep = record(&[
            ("pool, 10", &[10.0, 11.0, 9.0]),
            ("pool, 1000", &[80.0, 81.0, 79.0]),
            ("tokio, 10", &[100.0, 101.0, 99.0]),
            ("tokio, 1000", &[9000.0, 9100.0, 8000.0]),
        ]);
        sweep.experiment.chart = Chart {
            kind: ChartKind::Lines,
            x_label: Some("clients".to_owned()),
            log: true,
            x_log: true,
        };
        for variant in &mut sweep.experiment.variants {
            let (series, x) = variant.name.split_once(", ").unwrap();
            variant.series = Some(series.to_owned());
            variant.x = x.parse().ok();
        }
        sweep.experiment.variants[1].law = Some(Law { value: 80.0, words: "8 / 0.1 s".to_owned() });
        sweep
    }

    /// The words that a reader sees, the two sizes one after the other.
    fn texts(svg: &str) -> Vec<String> {
        let page = format!("<page>{svg}</page>");
        let page = roxmltree::Document::parse(&page).unwrap();
        let texts = page.descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_chart_is_well_formed_and_says_what_it_shows() {
        let mut yours = pool();
        yours.machine.cpu_model = Some("Your \"own\" one".to_owned());
        for (record, yours) in
            [(pool(), None), (pool(), Some(&yours)), (sweep(), None), (sweep(), Some(&sweep()))]
        {
            let svg = drawn(&record, yours);
            assert!(!svg.contains('\n'), "{svg}");
            let page = format!("<page>{svg}</page>");
            let page = roxmltree::Document::parse(&page).unwrap();
            let both: Vec<_> = page.root_element().children().collect();
            assert_eq!(both.len(), 2);
            for (svg, class) in both.iter().zip(["wide", "narrow"]) {
                assert_eq!(svg.attribute("class"), Some(class));
                assert_eq!(svg.attribute("role"), Some("img"));
                let child = |name| svg.children().find(|node| node.has_tag_name(name)).unwrap();
                let (title, text) = (child("title"), child("desc"));
                assert_eq!(
                    svg.attribute("aria-labelledby"),
                    Some(&*format!(
                        "{} {}",
                        title.attribute("id").unwrap(),
                        text.attribute("id").unwrap()
                    ))
                );
                assert_eq!(title.text(), Some("The law of the pool"));
                let summary = Summary::of(&record);
                for variant in &record.experiment.variants {
                    let line = summary.line(&variant.name).unwrap();
                    let part = format!("{}: {}", variant.name, value(line));
                    assert!(text.text().unwrap().contains(&part), "no {part} in {text:?}");
                }
            }
        }
    }

    #[test]
    fn bars_have_their_names_and_values_as_text() {
        let yours = pool();
        for yours in [None, Some(&yours)] {
            let texts = texts(&drawn(&pool(), yours));
            for text in ["pool of 1", "9.90", "pool of 4", "39.5\u{a0}†", "what the law predicts"]
            {
                let count = texts.iter().filter(|found| *found == text).count();
                let values = yours.is_some() && text.starts_with(['3', '9']);
                assert_eq!(count, if values { 4 } else { 2 }, "{text} in {texts:?}");
            }
            let machine = texts.iter().any(|text| text.contains("this book's machine"));
            assert_eq!(machine, yours.is_some());
        }
    }

    #[test]
    fn lines_have_axes_and_a_legend() {
        let texts = texts(&drawn(&sweep(), None));
        for text in ["pool", "tokio", "clients", "requests per second", "10", "100", "1,000"] {
            assert!(texts.iter().any(|found| found == text), "{text} in {texts:?}");
        }
        // A disturbed point is marked: once in each of the two drawings, and nothing else is.
        assert_eq!(texts.iter().filter(|text| text.contains('†')).count(), 0);
        let mut disturbed = sweep();
        disturbed.runs[0].noisy = true;
        let texts = self::texts(&drawn(&disturbed, None));
        assert_eq!(texts.iter().filter(|text| *text == "†").count(), 2, "{texts:?}");
        // Without its `x` a point has no place.
        let mut lost = sweep();
        lost.experiment.variants[2].x = None;
        let error = try_draw(&lost, None).unwrap_err().to_string();
        assert!(error.contains("\"tokio, 10\"") && error.contains("`x = …`"), "{error}");
    }

    #[test]
    fn no_colour_is_fixed() {
        let fixed = Regex::new(r#"#[0-9A-Fa-f]{3,8}\b|rgb|"(black|white|red)""#).unwrap();
        let family = Regex::new(r#"font-family|style="|xmlns"#).unwrap();
        for record in [pool(), sweep()] {
            for yours in [None, Some(&record)] {
                let svg = drawn(&record, yours);
                assert!(svg.contains("var(--chart-1)") && svg.contains("currentColor"), "{svg}");
                assert_eq!(fixed.find(&svg.replace("url(#", "url(")), None, "{svg}");
                assert_eq!(family.find(&svg), None, "{svg}");
            }
        }
        // What a hatched bar refers to is there.
        let svg = drawn(&pool(), Some(&pool()));
        for size in ["wide", "narrow"] {
            let id = format!("chart-{size}-hatch");
            assert!(svg.contains(&format!("id=\"{id}\"")) && svg.contains(&format!("url(#{id})")));
        }
    }

    #[test]
    fn every_colour_of_a_chart_is_in_the_theme() {
        let read = |name| {
            let path = format!("{}/../../book/theme/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let css = read("ladder.css") + &read("paper.css");
        let used = Regex::new(r"var\((--chart-[a-z0-9]+)\)").unwrap();
        let svg = drawn(&sweep(), Some(&pool())) + &drawn(&pool(), Some(&pool()));
        let mut names: Vec<String> = (1..=SERIES).map(|index| format!("--chart-{index}")).collect();
        names.extend(used.captures_iter(&svg).map(|found| found[1].to_owned()));
        for name in names {
            // Light, dark, dark without JavaScript, and on paper.
            let count = css.matches(&format!("{name}:")).count();
            assert_eq!(count, 4, "{name}");
        }
    }

    #[test]
    fn a_variant_without_a_run_that_counts_is_named_all_the_same() {
        let mut record = pool();
        for run in record.runs.iter_mut().filter(|run| run.variant == "pool of 1") {
            run.void = Some("errors".to_owned());
        }
        let texts = texts(&drawn(&record, None));
        assert!(texts.iter().any(|text| text == "no run counts"), "{texts:?}");
        // Nothing at all, and nothing but zeros, are charts too.
        let zeros = self::record(&[("a", &[0.0, 0.0, 0.0]), ("b", &[0.0, 0.0, 0.0])]);
        for log in [false, true] {
            let mut zeros = zeros.clone();
            zeros.experiment.chart.log = log;
            drawn(&zeros, None);
            zeros.runs.clear();
            drawn(&zeros, None);
        }
    }

    #[test]
    fn axes_end_at_round_numbers() {
        let axis = Axis::from_zero(&[39.9, 12.0], 4);
        assert_eq!((axis.low, axis.high), (0.0, 40.0));
        assert_eq!(axis.ticks, [0.0, 10.0, 20.0, 30.0, 40.0]);
        let axis = Axis::from_zero(&[12345.0], 6);
        assert_eq!(axis.ticks.last(), Some(&15000.0));
        assert_eq!(Axis::from_zero(&[], 4).high, 1.0);
        let axis = Axis::decades(&[0.0, 3.0, 4755.0]);
        assert_eq!((axis.low, axis.high), (2.0, 5000.0));
        assert_eq!(axis.ticks, [10.0, 100.0, 1000.0]);
        assert_eq!(axis.map(&100.0, (0, 400)), 200);
        let axis = Axis::decades(&[30.0, 60.0]);
        assert_eq!(axis.ticks, [20.0, 50.0, 100.0]);
        // What has no logarithm lies at the end.
        assert_eq!(axis.map(&0.0, (0, 400)), 0);
        assert_eq!([0.1, 12.5, 1000.0, 0.0].map(shortest), ["0.1", "12.5", "1,000", "0"]);
        let mut axis = Axis::around(&[1000.0, 10.0, 11.0, 10.0], false);
        assert_eq!(axis.ticks, [10.0, 11.0, 1000.0]);
        axis.thin(300, NARROW);
        assert_eq!(axis.ticks, [10.0, 1000.0]);
        let mut axis = Axis::around(&[10.0, 100.0, 1000.0, 5000.0, 10000.0], true);
        axis.thin(280, NARROW);
        assert_eq!(axis.ticks, [10.0, 100.0, 1000.0, 10000.0]);
    }
}
