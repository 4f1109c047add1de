//! The marks of a recording over time, as the outlines of a drawing: `book/pictures/rows.js` draws a part of the time in
//! the same way, and a test in a browser holds it to these.

use std::fmt::Write;

use crate::report::replay::picture::{Bar, Kind};

/// A bar of work has this width at least, in pixels, so that it is seen.
pub const LEAST: f64 = 2.0;
/// What a number needs in a mark: before it, and for each of its letters.
const NUMBER: (f64, f64) = (7.0, 7.5);

/// Where times lie on the sheet, and how high a row is, in pixels.
pub struct Plot {
    pub left: i32,
    pub right: i32,
    pub duration: u64,
    pub pitch: i32,
    pub dot: f64,
}

/// All marks of a drawing: an outline for each kind, and the numbers of requests.
#[derive(Default)]
pub struct Marks {
    outlines: [String; Kind::ALL.len()],
    numbers: String,
    /// Where the dots of the row's answers begin and end.
    dots: Vec<(f64, f64)>,
}

/// A coordinate: a tenth of a pixel is enough. It rounds a half up, as the script's language does.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0 + 0.5).floor() / 10.0
}

impl Plot {
    pub fn place(&self, time: u64) -> f64 {
        let share = time as f64 / self.duration.max(1) as f64;
        f64::from(self.left) + share * f64::from(self.right - self.left)
    }
}

impl Marks {
    /// Adds a row whose middle is at this height.
    pub fn row(&mut self, plot: &Plot, y: f64, bars: &[Bar]) {
        let mut works = Vec::new();
        let answers = bars.iter().filter(|bar| bar.kind.is_answer());
        let places = answers.flat_map(|bar| &bar.spans).map(|span| plot.place(span.0));
        self.dots = places.map(|x| (x, x + 2.0 * plot.dot)).collect();
        for bar in bars {
            let number = bar.request.map_or(String::new(), |request| (request + 1).to_string());
            for &(from, to) in &bar.spans {
                let (x, end) = (plot.place(from), plot.place(to));
                let at = (x, end, y);
                match bar.kind {
                    Kind::Idle => self.line(Kind::Idle, x, end, y),
                    Kind::Holds => {
                        self.rectangle(Kind::Holds, at, (plot.pitch - 6).max(9));
                        self.inscribe(at, &number, "");
                    }
                    // It is too short to be seen as hatching.
                    Kind::Queues if end - x < 1.5 => {}
                    Kind::Queues => {
                        let from = self.precede(at, 4.0, &number);
                        self.rectangle(Kind::Queues, (from, end, y), plot.pitch / 2);
                    }
                    Kind::Free => {
                        // With its round ends a dot is as long as the line is thick.
                        let from = self.precede(at, 5.0, &number);
                        self.line(Kind::Free, from + 4.0, end - 4.0, y);
                    }
                    Kind::Works => {
                        works.push((x, end.max(x + LEAST)));
                        self.inscribe(at, &number, "class=\"on\" ");
                    }
                    moment => self.moment(plot, moment, x, y),
                }
            }
        }
        works.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.works(plot, y, &works);
    }

    /// The drawing, from the lowest marks to the highest. `hatch` is the pattern of what stands in line.
    pub fn draw(&self, hatch: &str) -> String {
        let mut drawn = String::new();
        for (kind, outline) in Kind::ALL.into_iter().zip(&self.outlines) {
            let fill = match kind {
                Kind::Queues => format!(" fill=\"url(#{hatch})\""),
                _ => String::new(),
            };
            let _ = write!(drawn, "<path class=\"{}\"{fill} d=\"{outline}\"/>", kind.class());
        }
        drawn + &format!("<g class=\"number\">{}</g>", self.numbers)
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
        if number.is_empty() {
            return;
        }
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

    /// Puts a number into a mark, if it has room for it.
    fn inscribe(&mut self, (x, end, y): (f64, f64, f64), number: &str, class: &str) {
        if end - x > 6.0 + 7.0 * number.len() as f64 + self.beside(x + 5.0) {
            self.number((x + 5.0, y), number, class);
        }
    }

    /// Puts a number before a mark, if there is room for both; where the mark begins then.
    fn precede(&mut self, (x, end, y): (f64, f64, f64), inset: f64, number: &str) -> f64 {
        let room = NUMBER.0 + NUMBER.1 * number.len() as f64 + self.beside(x + inset);
        if number.is_empty() || end - x <= room + 16.0 {
            return x;
        }
        self.number((x + inset, y), number, "");
        x + room
    }

    /// Bars that lie on each other are one.
    fn works(&mut self, plot: &Plot, y: f64, spans: &[(f64, f64)]) {
        let mut bars: Vec<(f64, f64)> = Vec::new();
        for &(x, end) in spans {
            match bars.last_mut() {
                Some(last) if x <= last.1 + 0.5 => last.1 = last.1.max(end),
                _ => bars.push((x, end)),
            }
        }
        for (x, end) in bars {
            self.rectangle(Kind::Works, (x, end, y), plot.pitch - 2);
        }
    }

    fn moment(&mut self, plot: &Plot, kind: Kind, x: f64, y: f64) {
        let (from, shape) = match kind {
            Kind::Sent => ((x, y - 6.0), "v12"),
            Kind::Woken => ((x, y + 4.0), "l3.5 6h-7z"),
            Kind::Refused => ((x + 1.0, y - 4.0), "l8 8m0-8l-8 8"),
            // Just after its moment; a dot is a line without length.
            _ => ((x + plot.dot, y), "h0"),
        };
        let _ = write!(self.add(kind), "M{} {}{shape}", tenth(from.0), tenth(from.1));
    }
}

pub fn hatch(id: &str) -> String {
    format!(
        "<defs><pattern id=\"{id}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M1 0V5\"/></pattern></defs>"
    )
}

/// What the marks mean that a picture has, as HTML.
pub fn key(has: impl Fn(Kind) -> bool) -> String {
    let band = "d=\"M1 3h28v14h-28z\"";
    let line = "fill=\"none\" class=\"hatch\" d=\"M5 14l8-8M10 14l8-8M15 14l8-8M20 14l8-8\"/>\
                <path class=\"sent\" d=\"M3 4v12\"";
    let entries = [
        (Kind::Works, 8, "d=\"M1 1h6v18h-6z\"", "works on a CPU"),
        (Kind::Holds, 30, band, "waits, holds a thread"),
        (Kind::Free, 30, "d=\"M3 10H29\"", "waits, holds nothing"),
        (Kind::Queues, 30, line, "is in line"),
        (Kind::Idle, 30, "d=\"M0 10H30\"", "idle"),
        (Kind::Woken, 10, "d=\"M5 7l3.5 6h-7z\"", "is woken"),
        (Kind::Done, 10, "d=\"M5 10h0\"", "answered"),
        (Kind::Refused, 10, "d=\"M1 6l8 8m0-8l-8 8\"", "refused"),
    ];
    explained(entries.into_iter().filter(|it| has(it.0)).map(|(kind, wide, shape, words)| {
        let class = match kind {
            Kind::Queues => String::new(),
            _ => format!("class=\"{}\" ", kind.class()),
        };
        (sample(wide, &format!("<path {class}{shape}/>")), words)
    }))
}

/// A mark in a line of text, so many pixels wide.
pub fn sample(wide: i32, shapes: &str) -> String {
    format!(
        "<svg class=\"pic\" width=\"{wide}\" height=\"20\" viewBox=\"0 0 {wide} 20\" \
         aria-hidden=\"true\">{shapes}</svg>"
    )
}

/// Samples with what they mean, as HTML.
pub fn explained(entries: impl Iterator<Item = (String, &'static str)>) -> String {
    let entries = entries.map(|(samples, words)| format!("<span>{samples}{words}</span>"));
    format!("<p class=\"marks\">{}</p>", entries.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{has, lacks};

    fn drawn(bars: &[Bar]) -> String {
        let plot = Plot { left: 100, right: 200, duration: 1000, pitch: 20, dot: 4.0 };
        let mut marks = Marks::default();
        marks.row(&plot, 50.0, bars);
        marks.draw("hatch")
    }

    fn bar(kind: Kind, request: Option<usize>, spans: &[(u64, u64)]) -> Bar {
        Bar { kind, thread: None, request, spans: spans.to_vec() }
    }

    #[test]
    fn a_mark_lies_where_its_time_is() {
        let bars = [
            bar(Kind::Idle, None, &[(0, 100)]),
            bar(Kind::Holds, Some(6), &[(100, 500), (500, 600)]),
            bar(Kind::Queues, Some(11), &[(0, 700), (710, 720)]),
            bar(Kind::Free, None, &[(0, 200)]),
            bar(Kind::Done, Some(6), &[(600, 600)]),
        ];
        let parts = [
            "<path class=\"idle\" d=\"M100 50H110\"/>",
            "<path class=\"holds\" d=\"M110 43h40v14h-40zM150 43h10v14h-10z\"/>",
            // After its number, and not where it is too short.
            "<path class=\"queues\" fill=\"url(#hatch)\" d=\"M122 45h48v10h-48z\"/>",
            "<path class=\"free\" d=\"M104 50H116\"/>",
            "<path class=\"done\" d=\"M164 50h0\"/>",
            "<g class=\"number\"><text x=\"115\" y=\"54.3\">7</text><text x=\"104\" y=\"54.3\">12</text></g>",
        ];
        has(&drawn(&bars), &parts);
    }

    #[test]
    fn work_is_seen_however_short_and_lies_on_no_other_work() {
        let bars = [
            bar(Kind::Works, Some(0), &[(0, 1), (300, 400)]),
            bar(Kind::Works, Some(1), &[(10, 11), (350, 500)]),
        ];
        has(&drawn(&bars), &["<path class=\"works\" d=\"M100 41h3v18h-3zM130 41h20v18h-20z\"/>"]);
        has(&drawn(&bars), &["<text class=\"on\" x=\"140\" y=\"54.3\">2</text>"]);
    }

    #[test]
    fn only_the_marks_that_occur_are_explained() {
        let text = key(|kind| kind == Kind::Works || kind == Kind::Queues);
        has(&text, &["class=\"works\"", "works on a CPU", "is in line"]);
        lacks(&text, &["is woken", "holds"]);
    }
}
