//! The marks of rows over time, as the outlines of a drawing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use crate::report::replay::picture::{Bar, Kind};

/// The least width of a bar of work, in pixels, so that it is seen.
pub const LEAST: f64 = 2.0;
/// The room that a number needs in a mark: before it, and for each of its letters.
const NUMBER: (f64, f64) = (7.0, 7.5);

/// The places of times on the canvas, and the height of a row, in pixels.
pub struct Plot {
    pub left: i32,
    pub right: i32,
    pub duration: u64,
    pub pitch: i32,
    /// The radius of an answer's dot, as the style sheet has it.
    pub dot: f64,
    /// Whether marks are large, as in what a chapter opens with.
    pub large: bool,
}

/// All marks of a drawing: an outline for each kind, the numbers of requests, and what surrounds each request.
#[derive(Default)]
pub struct Marks {
    outlines: [String; Kind::ALL.len()],
    numbers: String,
    requests: BTreeMap<usize, String>,
    /// The places at which the dots of the row's answers begin and end.
    dots: Vec<(f64, f64)>,
    /// The numbers that stand in the row; large marks need each but once.
    inscribed: BTreeSet<String>,
}

/// Rounds a coordinate: a tenth of a pixel is enough.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl Plot {
    pub fn place(&self, time: u64) -> f64 {
        let share = time as f64 / self.duration.max(1) as f64;
        f64::from(self.left) + share * f64::from(self.right - self.left)
    }
}

/// Estimates the width of a number in a mark, in pixels.
fn width(words: &str) -> f64 {
    7.0 * words.len() as f64
}

/// Joins spans that are no farther from each other than this.
fn joined(mut spans: Vec<(f64, f64)>, gap: f64) -> Vec<(f64, f64)> {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (x, end) in spans {
        match joined.last_mut() {
            Some(last) if x <= last.1 + gap => last.1 = last.1.max(end),
            _ => joined.push((x, end)),
        }
    }
    joined
}

impl Marks {
    /// Adds a row whose middle is at this height; the numbers of its requests stand in its marks, if it is `numbered`.
    pub fn row(&mut self, plot: &Plot, y: f64, bars: &[Bar], numbered: bool) {
        let mut works = Vec::new();
        self.inscribed.clear();
        let answers = bars.iter().filter(|bar| bar.kind.is_answer());
        let places = answers.flat_map(|bar| &bar.spans).map(|span| plot.place(span.0));
        self.dots = places.map(|x| (x, x + 2.0 * plot.dot)).collect();
        for bar in bars {
            let number = bar.request.filter(|_| numbered);
            let number = number.map_or(String::new(), |request| (request + 1).to_string());
            let mut own = Vec::new();
            for &(from, to) in &bar.spans {
                let number = if self.is_known(plot, &number) { "" } else { number.as_str() };
                let (x, end) = (plot.place(from), plot.place(to));
                let at = (x, end, y);
                match bar.kind {
                    Kind::Idle => self.line(Kind::Idle, x, end, y),
                    Kind::Holds if end - x < 0.1 => {}
                    Kind::Holds => {
                        self.rectangle(Kind::Holds, at, (plot.pitch * 7 / 10).max(9));
                        self.inscribe(plot, at, number, "");
                    }
                    // It is too short to be seen as hatching.
                    Kind::Queues if end - x < 1.5 => {}
                    Kind::Queues => {
                        let from = self.precede(at, 4.0, number);
                        self.rectangle(Kind::Queues, (from, end, y), plot.pitch / 2);
                    }
                    Kind::Free => {
                        // With its round ends a dot is as long as the line is thick.
                        let from = self.precede(at, 5.0, number);
                        self.line(Kind::Free, from + 4.0, end - 4.0, y);
                    }
                    Kind::Works => {
                        works.push((x, end.max(x + LEAST)));
                        own.push((x, end));
                    }
                    moment => self.moment(plot, moment, x, y),
                }
            }
            // What looks like one bar has one number.
            for (x, end) in joined(own, LEAST) {
                self.inscribe(plot, (x, end, y), &number, "class=\"on\" ");
            }
        }
        for (x, end) in joined(works, 0.5) {
            self.rectangle(Kind::Works, (x, end, y), plot.pitch * 9 / 10);
        }
        self.surround(plot, y, bars);
    }

    /// Adds what of the row belongs to a request to the outline of that request.
    fn surround(&mut self, plot: &Plot, y: f64, bars: &[Bar]) {
        let mut own: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for bar in bars.iter().filter(|bar| bar.kind != Kind::Woken) {
            let Some(request) = bar.request else { continue };
            let places = bar.spans.iter().map(|span| {
                let dot = if bar.kind.is_answer() { 2.0 * plot.dot } else { 0.0 };
                (plot.place(span.0) - 2.0, plot.place(span.1) + dot + 2.0)
            });
            own.entry(request).or_default().extend(places);
        }
        for (request, spans) in own {
            let outline = self.requests.entry(request).or_default();
            for (x, end) in joined(spans, 4.0) {
                let (x, top, wide) =
                    (tenth(x), tenth(y - f64::from(plot.pitch) / 2.0), tenth(end - x));
                let _ = write!(outline, "M{x} {top}h{wide}v{}h-{wide}z", plot.pitch);
            }
        }
    }

    /// The drawing, from the lowest marks to the highest. `hatch` is the pattern of what is queued.
    pub fn draw(&self, hatch: &str) -> String {
        let mut drawn = String::new();
        for (kind, outline) in Kind::ALL.into_iter().zip(&self.outlines) {
            let fill = match kind {
                _ if outline.is_empty() => continue,
                Kind::Queues => format!(" fill=\"url(#{hatch})\""),
                _ => String::new(),
            };
            let _ = write!(drawn, "<path class=\"{}\"{fill} d=\"{outline}\"/>", kind.class());
        }
        drawn + &format!("<g class=\"number\">{}</g>", self.numbers)
    }

    /// Draws a frame around each request in every row, seen while a reader points at it.
    pub fn requests(&self) -> String {
        let outlines = self.requests.values();
        outlines.map(|outline| format!("<path class=\"request\" d=\"{outline}\"/>")).collect()
    }

    fn add(&mut self, kind: Kind) -> &mut String {
        &mut self.outlines[kind as usize]
    }

    /// How far a number at this place moves to stand beside the dot of the answer before it.
    fn beside(&self, x: f64) -> f64 {
        let dot = self.dots.iter().find(|(from, to)| *from <= x && x < to + 1.0);
        dot.map_or(0.0, |(_, to)| to + 1.0 - x)
    }

    fn number(&mut self, (x, y): (f64, f64), number: &str, class: &str) {
        let (x, y) = (tenth(x + self.beside(x)), tenth(y + 4.3));
        let _ = write!(self.numbers, "<text {class}x=\"{x}\" y=\"{y}\">{number}</text>");
    }

    fn line(&mut self, kind: Kind, x: f64, end: f64, y: f64) {
        if end > x {
            let _ = write!(self.add(kind), "M{} {}H{}", tenth(x), tenth(y), tenth(end));
        }
    }

    fn rectangle(&mut self, kind: Kind, (x, end, y): (f64, f64, f64), high: i32) {
        let (x, top, wide) = (tenth(x), tenth(y - f64::from(high) / 2.0), tenth(end - x));
        let _ = write!(self.add(kind), "M{x} {top}h{wide}v{high}h-{wide}z");
    }

    /// Tells whether the row has the number already and needs no other.
    fn is_known(&self, plot: &Plot, number: &str) -> bool {
        plot.large && self.inscribed.contains(number)
    }

    /// Puts a number into a mark, if it has room for it; into a large one whose number it is, if there is room for that.
    fn inscribe(&mut self, plot: &Plot, (x, end, y): (f64, f64, f64), number: &str, class: &str) {
        if number.is_empty() || self.is_known(plot, number) {
            return;
        }
        let room = end - x - 6.0 - self.beside(x + 5.0);
        let whose = format!("client {number}");
        let words = if plot.large && width(&whose) < room { &whose } else { number };
        if width(words) < room {
            self.inscribed.insert(number.to_owned());
            self.number((x + 5.0, y), words, class);
        }
    }

    /// Puts a number before a mark, if there is room for both; where the mark begins then.
    fn precede(&mut self, (x, end, y): (f64, f64, f64), inset: f64, number: &str) -> f64 {
        let room = NUMBER.0 + NUMBER.1 * number.len() as f64 + self.beside(x + inset);
        if number.is_empty() || end - x <= room + 16.0 {
            return x;
        }
        self.inscribed.insert(number.to_owned());
        self.number((x + inset, y), number, "");
        x + room
    }

    fn moment(&mut self, plot: &Plot, kind: Kind, x: f64, y: f64) {
        let (tick, cross) = if plot.large { (f64::from(plot.pitch) * 0.6, 12) } else { (12.0, 8) };
        let (from, shape) = match kind {
            Kind::Sent => ((x, y - tick / 2.0), format!("v{}", tenth(tick))),
            Kind::Woken => ((x, y + 4.0), "l3.5 6h-7z".to_owned()),
            Kind::Refused | Kind::Cut => {
                let half = f64::from(cross) / 2.0;
                ((x + 1.0, y - half), format!("l{cross} {cross}m0-{cross}l-{cross} {cross}"))
            }
            // Just after its moment; a dot is a line without length.
            _ => ((x + plot.dot, y), "h0".to_owned()),
        };
        let _ = write!(self.add(kind), "M{} {}{shape}", tenth(from.0), tenth(from.1));
    }
}

pub fn hatch(id: &str, large: bool) -> String {
    let scale = if large { " scale(1.6)" } else { "" };
    format!(
        "<defs><pattern id=\"{id}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45){scale}\"><path class=\"hatch\" d=\"M1 0V5\"/></pattern></defs>"
    )
}

/// Draws a mark in a sentence, before the word that it stands for.
pub fn mark(kind: Kind) -> String {
    format!("<span class=\"mark {}\"></span>", kind.class())
}

/// Explains the marks that a picture has in one sentence about `whom`, each word with its mark.
pub fn explained(whom: &str, has: impl Fn(Kind) -> bool) -> String {
    let states = [
        (Kind::Queues, "is queued"),
        (Kind::Works, "works on a CPU"),
        (Kind::Holds, "waits and holds a thread"),
        (Kind::Free, "waits and holds nothing"),
        (Kind::Woken, "is woken"),
        (Kind::Refused, "is refused"),
        (Kind::Cut, "is cut off"),
    ];
    let states = states.into_iter().filter(|it| has(it.0));
    let states: Vec<String> =
        states.map(|(kind, words)| format!("{} {words}", mark(kind))).collect();
    let answer = match has(Kind::Done) {
        true => format!("; {} is its answer", mark(Kind::Done)),
        false => String::new(),
    };
    format!("{whom} {}{answer}", states.join(", "))
}
