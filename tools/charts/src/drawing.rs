//! Draws the elements of a chart, in pixels of its canvas. The style sheet says how they look, by their classes.

use std::fmt::Write;

use pictures::{
    canvas::{Canvas, width},
    sign,
    text::escape,
};
use records::{base::shortest, servers::Server};

use crate::axis::Axis;

pub type Point = (i32, i32);

/// The distance from the middle of a law's diamond to its corners, in pixels: alone, and around a point.
pub const LAW: (i32, i32) = (5, 8);

/// The size of a mark that is one of many, as a part of its size where it stands alone.
const SMALL: f64 = 0.65;

/// The marks of points by the colour of their server, each around the point that it marks. Series without a colour of
/// their own take them in this order.
const MARKS: [(&str, &str); 10] = [
    ("tokio", "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0z"),
    ("one", "M-4-4h8v8h-8z"),
    ("each", "M-5-5h3v10h-3zM2-5h3v10h-3z"),
    ("pool", "M-5-5h4v4h-4zM1-5h4v4h-4zM-5 1h4v4h-4zM1 1h4v4h-4z"),
    ("async-std", "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0zM-3 0a3 3 0 1 1 6 0a3 3 0 1 1-6 0z"),
    ("smol", "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0zM0-3.5a3.5 3.5 0 0 1 0 7z"),
    (
        "futures",
        "M-5.5 0a5.5 5.5 0 1 1 11 0a5.5 5.5 0 1 1-11 0zM-3.8 0a3.8 3.8 0 1 1 7.6 0a3.8 3.8 0 1 1-7.6 0zM-2 0a2 2 0 1 1 4 0a2 2 0 1 1-4 0z",
    ),
    ("loop", "M3.5-3.5A5 5 0 1 0 3.5 3.5L2.1 2.1A3 3 0 1 1 2.1-2.1z"),
    ("bounded", "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0zM-3.5 0a3.5 3.5 0 0 1 7 0z"),
    ("runtime", "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0zM-3.5-1h7v2h-7z"),
];

/// The mark of a point that belongs to no series.
pub const DOT: &str = MARKS[0].1;

/// Chooses the marks of series of these colours: the first of a colour has its own, and all others those that are left.
pub fn marks(colours: &[Option<&str>]) -> Vec<&'static str> {
    let mut left = MARKS.iter().filter(|(colour, _)| !colours.contains(&Some(*colour))).cycle();
    let mut marks = Vec::new();
    for (index, colour) in colours.iter().enumerate() {
        let is_first = !colours[..index].contains(colour);
        let own = MARKS.iter().find(|(name, _)| is_first && Some(*name) == *colour);
        marks.push(own.or_else(|| left.next()).map_or(DOT, |(_, mark)| *mark));
    }
    marks
}

/// A drawing that grows: the text of its elements, and its height.
#[derive(Default)]
pub struct Drawing {
    pub body: String,
    pub height: i32,
}

impl Drawing {
    /// Draws a line through these points.
    pub fn line(&mut self, class: &str, points: &[Point]) {
        let mut path = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            let _ = write!(path, "{}{x} {y}", if index == 0 { "M" } else { "L" });
        }
        self.path(class, &path);
    }

    pub fn path(&mut self, class: &str, path: &str) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    pub fn bar(&mut self, class: &str, (x, y): Point, (wide, high): (i32, i32)) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\"/>"
        );
    }

    /// Draws a point of a series. Without its ground the line would fill its gaps, and make two bars of four panes.
    pub fn mark(&mut self, class: &str, (x, y): Point, mark: &str) {
        let _ = write!(
            self.body,
            "<circle class=\"ground\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>\
             <path class=\"{class}\" fill-rule=\"evenodd\" transform=\"translate({x} {y})\" d=\"{mark}\"/>"
        );
    }

    /// Draws the runs of a series that is shown, each as its mark, made small.
    pub fn small_marks(&mut self, class: &str, points: &[Point], mark: &str) {
        let _ = write!(self.body, "<g class=\"{class}\" fill-rule=\"evenodd\">");
        for (x, y) in points {
            let _ = write!(
                self.body,
                "<path transform=\"translate({x} {y})scale({SMALL})\" d=\"{mark}\"/>"
            );
        }
        self.body.push_str("</g>");
    }

    /// Draws the runs of a series that is not shown: a dot is a line without length and with round ends.
    pub fn dots(&mut self, class: &str, points: &[Point]) {
        let path: String = points.iter().map(|(x, y)| format!("M{x} {y}h0")).collect();
        self.path(class, &path);
    }

    /// Draws the interval from the least to the greatest round.
    pub fn interval(&mut self, from: Point, to: Point) {
        if from != to {
            self.line("interval", &[from, to]);
        }
    }

    /// Draws the prediction of a law: a diamond on a bar, or around a point.
    pub fn law(&mut self, (x, y): Point, around: bool) {
        let (class, half) = if around { ("law around", LAW.1) } else { ("law", LAW.0) };
        let top = y - half;
        self.path(class, &format!("M{x} {top}l{half} {half}-{half} {half}-{half}-{half}z"));
    }

    /// Draws the sign of a server, with the middle of its left edge there.
    pub fn sign(&mut self, server: &Server, (x, y): Point) {
        self.body.push_str(&sign::mark(server, (x, y - sign::HIGH / 2)));
    }

    /// Draws a text that begins, ends or has its middle there, as `anchor` says, at half its height.
    pub fn text(&mut self, class: &str, (x, y): Point, anchor: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            y + 5,
            escape(text)
        );
    }

    /// Draws a value, beside the prediction of the law.
    pub fn value(&mut self, (x, y): Point, anchor: &str, (value, law): &(String, String)) {
        let _ = write!(
            self.body,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\"><tspan class=\"heading\">{}</tspan><tspan class=\"soft\">{}</tspan></text>",
            y + 5,
            escape(value),
            escape(law)
        );
    }

    /// Draws the numbers of a horizontal axis between these two places, at the height of `bottom`, and above each of them
    /// a line behind these heights.
    pub fn across(
        &mut self,
        axis: &Axis,
        ends: (i32, i32),
        behind: &[(i32, i32)],
        bottom: i32,
        on: Canvas,
    ) {
        let mut grid = String::new();
        for tick in &axis.ticks {
            let x = axis.place(*tick, ends);
            for (top, end) in behind {
                let _ = write!(grid, "M{x} {top}V{end}");
            }
            let number = shortest(*tick);
            // Near an edge a number stays on the canvas.
            let half = width(&number, on) / 2;
            let at = (x.clamp(half, on.width - half), bottom + 15);
            self.text("soft", at, "middle", &number);
        }
        self.path("grid", &grid);
    }
}
