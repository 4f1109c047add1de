//! Draws recordings, and the pictures that open chapters: a row for each client, thread or processor, over time.

use std::fmt::Write;

use pictures::{
    canvas::{Canvas, NARROW, widest, width},
    text::escape,
};

use crate::report::replay::{
    marks::{Marks, Plot, hatch, tenth},
    picture::{Group, Picture, Row},
    playable::{Band, Drawing},
};

const MARGIN: i32 = 12;
/// A label that is longer than this, in letters, is cut on a narrow canvas.
const LONG: usize = 10;

/// How a picture is drawn.
pub enum Look<'a> {
    /// With a heading for each group, as it was recorded.
    Recording,
    /// In large marks, with what came of it at the end.
    Opening(&'a Outcome),
}

/// The outcome in large letters: at the end of a lane, or beside all of them.
pub enum Outcome {
    /// The lane, and the words.
    Lane(usize, String),
    /// A number, and of what.
    All(String, &'static str),
}

/// The measures that a look has.
struct Measures {
    /// The rows together are about this high, if that leaves each as much as it needs, and no more than that.
    room: i32,
    least: i32,
    most: i32,
    /// Above the rows of a group, and below them.
    above: i32,
    gap: i32,
    /// The radius of an answer's dot, on a wide canvas and on a narrow one, as the style sheet has it.
    dots: (f64, f64),
}

impl Measures {
    fn dot(&self, canvas: Canvas) -> f64 {
        if canvas.class == NARROW.class { self.dots.1 } else { self.dots.0 }
    }
}

const RECORDING: Measures =
    Measures { room: 310, least: 14, most: 20, above: 20, gap: 6, dots: (4.0, 2.9) };
const OPENING: Measures =
    Measures { room: 340, least: 26, most: 40, above: 4, gap: 8, dots: (6.0, 5.0) };

/// The size of the letters of an outcome, and of the word below it.
const RESULT: (f64, f64) = (1.6, 1.0);

impl<'a> Look<'a> {
    fn measures(&self) -> (Measures, Option<&'a Outcome>) {
        match self {
            Look::Recording => (RECORDING, None),
            Look::Opening(outcome) => (OPENING, Some(outcome)),
        }
    }
}

pub fn draw(id: &str, canvas: Canvas, picture: &Picture, look: &Look) -> Drawing {
    draw_between(id, canvas, picture, look, ends(canvas, picture, look))
}

/// Finds the left and the right end of the time, so that names have room before it, and the outcome behind.
pub fn ends(canvas: Canvas, picture: &Picture, look: &Look) -> (i32, i32) {
    let (measures, outcome) = look.measures();
    let mut names = Vec::new();
    for (lane, row) in picture.groups.iter().flat_map(|group| &group.rows).enumerate() {
        names.push(label(row, canvas));
        if matches!(outcome, Some(Outcome::Lane(of_outcome, _)) if *of_outcome == lane) {
            names.extend(below(row, canvas));
        }
    }
    let left = widest(names, canvas) + 8;
    (left, right(canvas, picture, outcome, (left, measures.dot(canvas))))
}

/// Draws a picture between these ends of its time.
pub fn draw_between(
    id: &str,
    canvas: Canvas,
    picture: &Picture,
    look: &Look,
    (left, right): (i32, i32),
) -> Drawing {
    let (measures, outcome) = look.measures();
    let rows = picture.groups.iter().map(|group| group.rows.len()).sum::<usize>();
    let large = outcome.is_some();
    let dot = measures.dot(canvas);
    let plot = Plot {
        left,
        right,
        duration: picture.duration,
        pitch: (measures.room / rows.max(1) as i32).clamp(measures.least, measures.most),
        dot,
        large,
    };
    let lines = Lines::of(picture, canvas, &plot, &measures, outcome);
    let pattern = format!("{id}-{}-hatch", canvas.class);
    Drawing {
        canvas,
        left,
        right,
        end: picture.duration,
        bands: lines.bands,
        below: hatch(&pattern, large) + &lines.marks.draw(&pattern) + &lines.results,
        above: lines.names + &lines.marks.requests(),
        class: if large { " large" } else { "" },
        veil: if large { "future closed" } else { "future" },
    }
}

/// A row's name, with the page that it asks for; on a narrow canvas without that, and without the family that a runtime
/// gives its threads.
fn label(row: &Row, canvas: Canvas) -> String {
    let mut label = row.label.as_str();
    if canvas.class != NARROW.class {
        let page = row.page.as_ref();
        return page.map_or(label.to_owned(), |page| format!("{label}, for {page}"));
    }
    if let Some(short) = &row.short {
        return short.clone();
    }
    while label.chars().count() > LONG {
        let cut = ['/', '-', ' '].iter().find_map(|mark| label.split_once(*mark));
        let Some((_, rest)) = cut else { break };
        label = rest;
    }
    label.to_owned()
}

/// The words below the name of the row that the title speaks of: the page that it asks for, if that isn't in its name.
fn below(row: &Row, canvas: Canvas) -> Option<String> {
    let page = row.page.as_ref().filter(|_| canvas.class == NARROW.class);
    page.map(|page| format!("for {page}"))
}

/// How wide words are in letters that are so many times larger than a canvas's.
fn wide(words: &str, times: f64, canvas: Canvas) -> f64 {
    f64::from(width(words, canvas)) * times
}

/// Finds where the time ends, so that the outcome has room behind.
fn right(
    canvas: Canvas,
    picture: &Picture,
    outcome: Option<&Outcome>,
    (left, dot): (i32, f64),
) -> i32 {
    let room = match outcome {
        None => f64::from(MARGIN),
        Some(Outcome::All(number, what)) => {
            2.0 * dot + 24.0 + wide(number, RESULT.0, canvas).max(wide(what, RESULT.1, canvas))
        }
        Some(Outcome::Lane(lane, words)) => {
            let answered = answered(&picture.groups[0].rows[*lane]);
            let share = answered as f64 / picture.duration.max(1) as f64;
            let needs = 2.0 * dot + 12.0 + wide(words, RESULT.0, canvas);
            // What of the time lies behind the answer is room as well.
            let length = f64::from(canvas.width - left);
            (length - (length - needs) / share.max(0.1)).max(f64::from(MARGIN))
        }
    };
    canvas.width - room.ceil() as i32
}

/// The time of a lane's last answer.
fn answered(row: &Row) -> u64 {
    let answers = row.bars.iter().filter(|bar| bar.kind.is_answer());
    answers.flat_map(|bar| &bar.spans).map(|span| span.0).max().unwrap_or(0)
}

#[derive(Default)]
struct Lines {
    names: String,
    results: String,
    marks: Marks,
    bands: Vec<Band>,
}

impl Lines {
    fn of(
        picture: &Picture,
        canvas: Canvas,
        plot: &Plot,
        measures: &Measures,
        outcome: Option<&Outcome>,
    ) -> Lines {
        let mut lines = Lines::default();
        let mut y = 0;
        let opens = outcome.is_some();
        for group in &picture.groups {
            if !opens {
                let heading = heading(group, canvas);
                let _ = write!(lines.names, "<text y=\"{}\">{heading}</text>", y + 14);
            }
            y += measures.above;
            let top = y;
            for (index, row) in group.rows.iter().enumerate() {
                let middle = f64::from(y) + f64::from(plot.pitch) / 2.0;
                let is_lane = group.id == "clients";
                let told = match outcome {
                    Some(Outcome::Lane(lane, words)) if is_lane && *lane == index => Some(words),
                    _ => None,
                };
                let class = if told.is_some() { "class=\"heading\" " } else { "" };
                let below = told.and_then(|_| below(row, canvas));
                let up = if below.is_some() { 8.0 } else { 0.0 };
                let names = [(class, Some(label(row, canvas)), -up), ("", below, up)];
                for (class, name, down) in names {
                    let Some(name) = name else { continue };
                    let _ = write!(
                        lines.names,
                        "<text {class}x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                        plot.left - 8,
                        tenth(middle + 4.5 + down),
                        escape(&name),
                    );
                }
                // A lane has its number in its name.
                lines.marks.row(plot, middle, &row.bars, !(opens && is_lane));
                y += plot.pitch;
                if let Some(words) = told {
                    let x = plot.place(answered(row)) + 2.0 * plot.dot + 8.0;
                    lines.results += &result((x, middle), words, "");
                }
                if opens {
                    let until = if told.is_some() { answered(row) } else { picture.duration };
                    lines.bands.push(Band { top: y - plot.pitch, bottom: y, until });
                }
            }
            if !opens {
                lines.bands.push(Band { top, bottom: y, until: picture.duration });
            }
            if let (Some(Outcome::All(number, what)), "clients") = (outcome, group.id) {
                // Behind the dots or the crosses of the last answers.
                let edge = plot.right + 2 * plot.dot.ceil() as i32 + 5;
                let middle = f64::from(top + y) / 2.0;
                let first = top + 6;
                let last = y - 6;
                let _ = write!(
                    lines.results,
                    "<path class=\"axis\" d=\"M{edge} {first}h5V{last}h-5\"/>"
                );
                lines.results += &result((f64::from(edge) + 13.0, middle), number, what);
            }
            y += measures.gap;
        }
        lines
    }
}

/// Draws the outcome in large letters, with a word below them, if there is one.
fn result((x, middle): (f64, f64), large: &str, word: &str) -> String {
    let (down, below) = if word.is_empty() {
        (7.5, String::new())
    } else {
        let below =
            format!("<text x=\"{}\" y=\"{}\">{word}</text>", tenth(x), tenth(middle + 18.0));
        (0.0, below)
    };
    format!(
        "<text class=\"result\" x=\"{}\" y=\"{}\">{large}</text>{below}",
        tenth(x),
        tenth(middle + down)
    )
}

/// Names a group and, where there is room, what to see in it.
fn heading(group: &Group, canvas: Canvas) -> String {
    let (first, rest) = group.id.split_at(1);
    let name = if group.id == "cpus" { "CPUs".to_owned() } else { first.to_uppercase() + rest };
    let note = match width(&format!("{name}  {}", group.note), canvas) <= canvas.width {
        true => format!("<tspan class=\"soft\" dx=\"10\">{}</tspan>", escape(&group.note)),
        false => String::new(),
    };
    format!("<tspan class=\"heading\">{name}</tspan>{note}")
}
