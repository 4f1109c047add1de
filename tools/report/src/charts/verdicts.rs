//! Verdicts as a chart: the ratio of each contrast with its interval, on a logarithmic axis before the margin.

use std::fmt::Write;

use base::shortest;
use plotters::coord::ranged1d::Ranged;
use records::{
    description::{CONTROL, Variant},
    verdict::{Finding, Interval, Verdict},
};

use crate::{
    charts::{
        axis::Axis,
        canvas::{Drawing, Ink},
        sheet::{Sheet, widest, width, wrap},
    },
    sets::Sets,
    sign::{self, mark},
    text::{escape, listed, ratio_words},
};

const HIGH: i32 = 27;

const RADIUS: f64 = 5.5;
/// So many ratios fit on a slide.
const MOST: usize = 12;
/// Between words and what is beside them.
const GAP: i32 = 12;

/// A contrast of the metric, or the control, with its ratio.
pub struct Row {
    /// What stands beside it.
    name: String,
    /// The two that it compares, and both in words.
    of: String,
    to: String,
    both: String,
    /// The lines of the chart on which they lie, and their place on its horizontal axis if it is the same.
    line: Option<String>,
    other_line: Option<String>,
    place: Option<f64>,
    ink: Ink,
    ratio: Interval,
    verdict: Verdict,
    is_control: bool,
}

/// The ratios of one picture.
pub struct Panel {
    pub rows: Vec<Row>,
    /// With what they are compared, in words, if that is the same for all.
    pub to: Option<String>,
}

impl Panel {
    fn of(rows: Vec<Row>, to: Option<String>, name: fn(&Row) -> &String) -> Panel {
        let named = |row: Row| Row { name: name(&row).clone(), ..row };
        Panel { rows: rows.into_iter().map(named).collect(), to }
    }
}

/// The contrasts of the metric that have a ratio; the control comes last. They are in one picture, or in one for each
/// place of a line chart; in none where they are fewer than two.
pub fn panels(sets: Sets) -> Vec<Panel> {
    let rows = rows(sets);
    let label = sets.experiment().chart.x_label.as_deref();
    match (same_variant(&rows), same_line(&rows), label) {
        _ if rows.len() < 2 => Vec::new(),
        (Some(to), ..) => vec![Panel::of(rows, Some(to), |row| &row.of)],
        (None, Some(line), Some(label)) if rows.len() <= MOST => {
            vec![Panel::of(rows, Some(format!("{line} with as many {label}")), |row| &row.of)]
        }
        (None, Some(line), Some(label)) => {
            let panel = |(place, rows): (f64, Vec<Row>)| {
                let to = format!("{line} with {} {label}", shortest(place));
                Panel::of(rows, Some(to), |row| row.line.as_ref().unwrap_or(&row.of))
            };
            by_place(rows).into_iter().map(panel).collect()
        }
        _ => vec![Panel { rows, to: None }],
    }
}

/// The rows of each place, in the order in which they come.
fn by_place(rows: Vec<Row>) -> Vec<(f64, Vec<Row>)> {
    let mut places: Vec<(f64, Vec<Row>)> = Vec::new();
    for row in rows {
        let place = row.place.expect("all that are compared with a line have one");
        match places.iter_mut().find(|(it, _)| *it == place) {
            Some((_, there)) => there.push(row),
            None => places.push((place, vec![row])),
        }
    }
    places
}

fn rows(sets: Sets) -> Vec<Row> {
    let experiment = sets.experiment();
    let summary = sets.ours.summary;
    let of_the_metric = |finding: &&Finding| finding.figure == experiment.metric;
    let row = |finding: &Finding| {
        let both = format!("{} to {}", finding.of, finding.to);
        let (of, to) = (experiment.variant(&finding.of), experiment.variant(&finding.to));
        // The control is no variant of its own.
        let variant = of.or(to);
        let place = |variant: Option<&Variant>| variant.and_then(|variant| variant.x);
        let line = |variant: Option<&Variant>| variant.and_then(|variant| variant.series.clone());
        Some(Row {
            name: both.clone(),
            of: finding.of.clone(),
            to: finding.to.clone(),
            line: line(of),
            other_line: line(to),
            place: place(variant).filter(|it| place(to) == Some(*it)),
            both,
            ink: variant.map_or(Ink::Soft, |variant| Ink::of(experiment, variant)),
            ratio: finding.ratio?,
            verdict: finding.verdict(experiment.margin.part()),
            is_control: finding.of == CONTROL,
        })
    };
    let all = summary.findings.iter().chain(&summary.control);
    all.filter(of_the_metric).filter_map(row).collect()
}

/// The variant with which all are compared, if it is the same for all.
fn same_variant(rows: &[Row]) -> Option<String> {
    let first = rows.first()?;
    rows.iter().all(|row| row.to == first.to).then(|| first.to.clone())
}

/// The line of the chart with which all are compared, each at its own place, if it is the same for all.
fn same_line(rows: &[Row]) -> Option<String> {
    let line = rows.first()?.other_line.clone()?;
    let is_it = |row: &Row| row.place.is_some() && row.other_line.as_ref() == Some(&line);
    rows.iter().all(is_it).then_some(line)
}

/// What the verdicts say together: each, where they are one or two, else how many say the same.
pub fn finding(rows: &[Row]) -> String {
    let own: Vec<&Row> = rows.iter().filter(|row| !row.is_control).collect();
    if own.len() <= 2 {
        let told = own.iter().map(|row| format!("{}: {}", row.both, said(row).replace(':', ",")));
        return told.collect::<Vec<_>>().join("; ");
    }
    let groups = Verdict::NAMES.iter().map(|name| -> Vec<&Row> {
        own.iter().copied().filter(|row| row.verdict.name() == *name).collect()
    });
    let groups = groups.filter(|group| !group.is_empty());
    let told: Vec<String> = groups.map(|group| counted(&group)).collect();
    match &told[..] {
        [all] => format!("All {}", all.replacen(' ', " ratios ", 1)),
        _ => format!("Of {} ratios {}", own.len(), listed(&told)),
    }
}

/// How many rows have one verdict, and which: `2 differ (0.41 to 3.99 times)`.
fn counted(group: &[&Row]) -> String {
    let count = group.len();
    let (be, differ) = if count == 1 { ("is", "differs") } else { ("are", "differ") };
    match group[0].verdict {
        Verdict::Differs => {
            let mut ratios: Vec<Interval> = group.iter().map(|row| row.ratio).collect();
            ratios.sort_by(|a, b| a.median.total_cmp(&b.median));
            let [least, ..] = ratio_words(&ratios[0]);
            let [most, ..] = ratio_words(&ratios[count - 1]);
            let times = if count == 1 { most } else { format!("{least} to {most}") };
            format!("{count} {differ} ({times} times)")
        }
        Verdict::CantTell(_) => format!("{count} can't be told"),
        verdict => {
            let words = verdict.words().replace("equal", &format!("{be} equal"));
            format!("{count} {}", words.replace("differs,", differ))
        }
    }
}

pub fn description(rows: &[Row]) -> String {
    let said = rows.iter().map(|row| {
        let [median, low, high] = ratio_words(&row.ratio);
        format!("{}: {median} ({low} to {high}), {}", row.both, row.verdict.words())
    });
    said.collect::<Vec<_>>().join("; ")
}

/// What is loud in the verdict beside a ratio, and what is not.
fn words(row: &Row) -> (String, String) {
    match row.verdict {
        Verdict::Differs => {
            let [median, ..] = ratio_words(&row.ratio);
            (format!("{median} times"), String::new())
        }
        Verdict::CantTell(why) => (row.verdict.words(), format!(": {}", why.words())),
        verdict => (String::new(), verdict.words()),
    }
}

fn said(row: &Row) -> String {
    let (loud, soft) = words(row);
    loud + &soft
}

struct Plot {
    sheet: Sheet,
    left: i32,
    right: i32,
    axis: Axis,
    /// Names and verdicts stand beside the ratios where there is room, and above them elsewhere.
    beside: bool,
}

impl Plot {
    fn of(sheet: Sheet, rows: &[Row], margin: f64) -> Plot {
        let names = rows.iter().map(|row| sign_room(row) + width(&row.name, sheet));
        let names = names.max().unwrap_or(0) + GAP;
        let said = widest(rows.iter().map(said), sheet) + GAP;
        let beside = names + said <= sheet.width * 2 / 3;
        let (left, right) =
            if beside { (names, sheet.width - said) } else { (GAP, sheet.width - GAP) };
        let ends = rows.iter().flat_map(|row| [row.ratio.low, row.ratio.high]);
        let ends: Vec<f64> = ends.chain([1.0 + margin, 1.0 / (1.0 + margin)]).collect();
        let mut axis = Axis::ratios(&ends);
        axis.thin(right - left, sheet);
        Plot { sheet, left, right, axis, beside }
    }

    fn x(&self, ratio: f64) -> i32 {
        self.axis.map(&ratio, (self.left, self.right))
    }

    /// The height of a row: its names are in lines above the ratio, if they are not beside it.
    fn height(&self, row: &Row) -> i32 {
        if self.beside { HIGH } else { HIGH + self.lines(row) * self.sheet.line_height() }
    }

    fn lines(&self, row: &Row) -> i32 {
        let words = width(&row.name, self.sheet) + width(&said(row), self.sheet);
        let both = sign_room(row) + words;
        if both + GAP <= self.sheet.width { 1 } else { self.name_of(row).len() as i32 + 1 }
    }

    fn name_of(&self, row: &Row) -> Vec<String> {
        let most = if self.beside { self.left } else { self.sheet.width };
        wrap(&row.name, most - sign_room(row), self.sheet)
    }
}

/// The room of a row's sign, if it has one.
fn sign_room(row: &Row) -> i32 {
    row.ink.server().map_or(0, |server| sign::wide(server) + 6)
}

/// Draws the rows before a margin of this part of 1.
pub fn draw(sheet: Sheet, rows: &[Row], margin: f64) -> Drawing {
    let plot = Plot::of(sheet, rows, margin);
    let bottom = rows.iter().map(|row| plot.height(row)).sum::<i32>() + 4;
    let mut body = ground(&plot, margin, bottom);
    let mut top = 2;
    for row in rows {
        names(&mut body, &plot, row, top);
        point(&mut body, &plot, row, top + plot.height(row) - HIGH / 2);
        top += plot.height(row);
    }
    Drawing { body, height: bottom + sheet.axis_height(false) }
}

/// What lies behind the rows: the axis with its numbers, the margin, and where two are equal.
fn ground(plot: &Plot, margin: f64, bottom: i32) -> String {
    let (low, high) = (plot.x(1.0 / (1.0 + margin)), plot.x(1.0 + margin));
    let mut body = String::new();
    for tick in &plot.axis.ticks {
        let x = plot.x(*tick);
        let number = shortest(*tick);
        // Near an edge a number stays on the sheet.
        let half = width(&number, plot.sheet) / 2;
        let middle = x.clamp(half, plot.sheet.width - half);
        let _ = write!(
            body,
            "<text class=\"soft\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{number}</text>\
             <path class=\"grid\" d=\"M{x} 0V{bottom}\"/>",
            bottom + plot.sheet.text + 4
        );
    }
    let _ = write!(
        body,
        "<rect class=\"margin\" x=\"{low}\" width=\"{}\" height=\"{bottom}\"/>\
         <path class=\"axis\" d=\"M{} 0V{bottom}\"/>",
        high - low,
        plot.x(1.0)
    );
    body
}

fn names(body: &mut String, plot: &Plot, row: &Row, top: i32) {
    let step = plot.sheet.line_height();
    let line = if plot.beside { HIGH } else { step };
    let middle = top + line / 2;
    if let Some(server) = row.ink.server() {
        body.push_str(&mark(server, (0, middle - sign::HIGH / 2)));
    }
    let (loud, soft) = words(row);
    let (x, y, anchor) = match (plot.beside, plot.lines(row)) {
        (true, _) => (plot.right + GAP, middle, "start"),
        (false, 1) => (plot.sheet.width, middle, "end"),
        (false, lines) => (0, middle + (lines - 1) * step, "start"),
    };
    for (line, name) in plot.name_of(row).iter().enumerate() {
        let _ = write!(
            body,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            sign_room(row),
            middle + 5 + line as i32 * step,
            escape(name)
        );
    }
    let _ = write!(
        body,
        "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\"><tspan class=\"heading\">{}</tspan><tspan>{}</tspan></text>",
        y + 5,
        escape(&loud),
        escape(&soft)
    );
}

/// The ratio and its interval: full where the two differ, open where that matters to nobody, broken where nobody can
/// tell.
fn point(body: &mut String, plot: &Plot, row: &Row, y: i32) {
    let Interval { median, low, high } = row.ratio;
    let (x, from, to) = (plot.x(median), plot.x(low), plot.x(high));
    let colour = row.ink.colour();
    let (class, fill) = match row.verdict {
        Verdict::Differs => ("differs", colour.as_str()),
        Verdict::CantTell(_) => ("unknown", "var(--bg)"),
        Verdict::DiffersByLess(_) | Verdict::EqualWithin(_) => ("alike", "var(--bg)"),
    };
    let _ = write!(
        body,
        "<path class=\"interval\" d=\"M{from} {y}H{to}\"/>\
         <circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"{fill}\" \
         stroke=\"{colour}\"/>"
    );
    if let Verdict::CantTell(_) = row.verdict {
        let beside = to.max(x + 6) + 5;
        let _ = write!(body, "<text class=\"heading\" x=\"{beside}\" y=\"{}\">?</text>", y + 5);
    }
}
