//! A drawing whose time can be played: where its time lies on the canvas, and what a curtain veils.

use std::fmt::Write;

use records::base::{number, shortest};

use pictures::{
    canvas::{Canvas, NARROW, WIDE, element, width},
    text,
};

use crate::report::replay::{marks::tenth, numbers::ms};

/// From two seconds on, times are in seconds.
const SECONDS: u64 = 2_000_000;

/// Rows that are veiled together, unless it is later than `until`.
pub struct Band {
    pub top: i32,
    pub bottom: i32,
    pub until: u64,
}

/// A drawing on one of the two canvases.
pub struct Drawing {
    pub canvas: Canvas,
    /// The left and the right end of the time, in pixels.
    pub left: i32,
    pub right: i32,
    pub end: u64,
    pub bands: Vec<Band>,
    /// The parts below the veil, and those above it.
    pub below: String,
    pub above: String,
    /// The class of the drawing, besides that of its canvas; and of its veil.
    pub class: &'static str,
    pub veil: &'static str,
}

/// The room below the rows: the line of the time, where a thumb slides, and the numbers below it.
const LINE: i32 = 20;
const FOOT: i32 = 28;

/// The step between two numbers of a time axis, in microseconds: 1, 2 or 5 and zeros.
pub fn step(length: u64, most: usize) -> u64 {
    let mut ten = 1;
    loop {
        for step in [ten, 2 * ten, 5 * ten] {
            if length / step <= most as u64 {
                return step;
            }
        }
        ten *= 10;
    }
}

/// A time in words: `4.5 s`, `48 ms`.
pub fn time(at: u64) -> String {
    match at {
        // Next to a second, less than ten is told to a tenth, so that nothing takes no time.
        0..10_000 => format!("{} ms", number(ms(at), 1)),
        10_000..SECONDS => format!("{} ms", number(ms(at), 0)),
        _ => format!("{} s", number(ms(at) / 1000.0, 1)),
    }
}

impl Drawing {
    fn bottom(&self) -> i32 {
        self.bands.last().map_or(0, |band| band.bottom)
    }

    fn height(&self) -> i32 {
        self.bottom() + LINE + FOOT
    }

    fn place(&self, time: u64) -> f64 {
        let share = time as f64 / self.end.max(1) as f64;
        f64::from(self.left) + share * f64::from(self.right - self.left)
    }

    /// The line of the time with its numbers, and lines behind the rows.
    fn axis(&self) -> (String, String) {
        let line = self.bottom() + LINE;
        // Rows that touch have one line behind them.
        let mut behind: Vec<(i32, i32)> = Vec::new();
        for band in &self.bands {
            match behind.last_mut() {
                Some(last) if last.1 == band.top => last.1 = band.bottom,
                _ => behind.push((band.top, band.bottom)),
            }
        }
        let mut grid = String::new();
        let mut ticks = format!("M{} {line}H{}", self.left, self.right);
        let mut numbers = String::new();
        let (unit, per) = if self.end >= SECONDS { ("s", 1_000_000.0) } else { ("ms", 1000.0) };
        for time in (0..=self.end).step_by(step(self.end, self.canvas.ticks) as usize) {
            let x = tenth(self.place(time));
            for (top, bottom) in &behind {
                let _ = write!(grid, "M{x} {top}V{bottom}");
            }
            let _ = write!(ticks, "M{x} {}v8", line - 4);
            let number = shortest(time as f64 / per);
            let number = if time == 0 { format!("0 {unit}") } else { number };
            // Near an edge a number stays on the canvas.
            let half = f64::from(width(&number, self.canvas)) / 2.0;
            let x = tenth(x.clamp(half, f64::from(self.canvas.width) - half));
            let _ = write!(numbers, "<text x=\"{x}\">{number}</text>");
        }
        let grid = format!("<path class=\"grid\" d=\"{grid}\"/>");
        let axis = format!(
            "<path class=\"axis track\" d=\"{ticks}\"/><g class=\"soft\" text-anchor=\"middle\" \
             transform=\"translate(0 {})\">{numbers}</g>",
            line + 11 + self.canvas.text
        );
        (grid, axis)
    }

    /// `id` is unique in the book; `words` are its title and its description.
    fn draw(&self, id: &str, words: (&str, &str)) -> String {
        let Drawing { left, right, veil, .. } = self;
        let bands = self.bands.iter().map(|it| format!("{} {} {}", it.top, it.bottom, it.until));
        let data = format!(
            " data-left=\"{left}\" data-right=\"{right}\" data-bands=\"{}\"",
            bands.collect::<Vec<_>>().join(";")
        );
        let (grid, axis) = self.axis();
        // The cursor goes through no name.
        let body = format!(
            "{grid}{}<path class=\"{veil}\"/><path class=\"cursor\"/>{axis}{}",
            self.below, self.above
        );
        let class = format!("{}{}", self.canvas.class, self.class);
        let size = (self.canvas.width, self.height());
        element(&format!("{id}-{}", self.canvas.class), (&class, &data), size, words, &body)
    }

    /// Writes the place of the track in the drawing, in parts of it, for the style sheet.
    fn track(&self) -> String {
        let wide = self.canvas.width;
        let name = self.canvas.class;
        format!(
            "--{name}-left: {}%; --{name}-right: {}%; --{name}-axis: {}%",
            percent(self.left, wide),
            percent(wide - self.right, wide),
            percent(self.bottom() + LINE, self.height())
        )
    }
}

fn percent(part: i32, whole: i32) -> f64 {
    tenth(100.0 * f64::from(part) / f64::from(whole))
}

/// A part of a page that can be played.
pub struct Playable<'a> {
    /// It is unique in the book.
    pub id: &'a str,
    /// What its drawings are called.
    pub named: &'a str,
    /// The classes of the element, and of its figure.
    pub class: &'a str,
    pub figure: &'a str,
    /// The colour of its server, if it has one server.
    pub colour: Option<&'a str>,
    /// The sign of its server; what it found, as HTML; what was asked for; and what there is to see, for those who can't
    /// see it.
    pub sign: &'a str,
    pub finding: &'a str,
    pub counts: &'a str,
    pub description: &'a str,
    pub caption: &'a str,
    /// The link that leads on, as HTML.
    pub next: &'a str,
    /// The moments: a time, and a sentence on what there is to see from then on.
    pub moments: &'a [(u64, String)],
}

impl Playable<'_> {
    /// The block, with the drawing that `draw` makes of each canvas. Fails when the moments can't be written as JSON.
    pub fn block(&self, draw: impl Fn(Canvas) -> Drawing) -> anyhow::Result<String> {
        let drawings = [WIDE, NARROW].map(draw);
        let parts = format!("{}\n<div class=\"play\">{}</div>", self.rows(&drawings), self.next);
        let attributes = format!("class=\"chart {}\"{}", self.figure, self.style());
        Ok(format!(
            "<rung-replay class=\"{}\">\n{}\n{}\n</rung-replay>",
            self.class,
            text::figure(&attributes, &self.found(), self.counts, &parts, self.caption),
            self.data(&drawings)?
        ))
    }

    /// The same without a frame: one of the sides that a switch shows.
    fn side(&self, drawings: &[Drawing; 2]) -> anyhow::Result<String> {
        Ok(format!(
            "<div class=\"side\"{}>\n<p class=\"counts\">{}</p>\n<p class=\"finding\">{}</p>\n{}\n{}\n</div>",
            self.style(),
            self.counts,
            self.found(),
            self.rows(drawings),
            self.data(drawings)?
        ))
    }

    fn style(&self) -> String {
        let colour = self.colour.map(|it| format!(" style=\"--s: var(--server-{it})\""));
        colour.unwrap_or_default()
    }

    /// What it found, behind the sign of its server; it waits where the picture plays closed.
    fn found(&self) -> String {
        format!("{}<span class=\"answer\">{}</span>", self.sign, self.finding)
    }

    fn rows(&self, drawings: &[Drawing; 2]) -> String {
        let title = text::unescaped(self.named);
        let words = (title.as_str(), self.description);
        let drawn = drawings.each_ref().map(|drawing| drawing.draw(self.id, words)).concat();
        let tracks = drawings.each_ref().map(Drawing::track).join("; ");
        format!("<div class=\"rows\" style=\"{tracks}\">{drawn}</div>")
    }

    fn data(&self, [drawing, _]: &[Drawing; 2]) -> anyhow::Result<String> {
        text::data(&serde_json::json!({ "end": drawing.end, "moments": self.moments }))
    }
}

/// The block of two that have one clock, with a switch between them: what is before, and what is after. `drawings` are
/// those of each. Fails when the moments can't be written as JSON.
pub fn pair(
    heading: &str,
    sides: [&Playable; 2],
    mut drawings: [[Drawing; 2]; 2],
    caption: &str,
) -> anyhow::Result<String> {
    let [before, after] = &mut drawings;
    for (one, other) in before.iter_mut().zip(after) {
        // The switch moves nothing: both are as high as the higher one.
        let bottom = one.bottom().max(other.bottom());
        for drawing in [one, other] {
            let top = drawing.bottom();
            drawing.bands.push(Band { top, bottom, until: 0 });
        }
    }
    let mut parts = String::from("<div class=\"sides\">");
    for (side, drawings) in sides.iter().zip(&drawings) {
        parts += &side.side(drawings)?;
    }
    parts += "</div>\n<div class=\"play\"></div>";
    let figure = text::figure("class=\"chart opening pair\"", heading, "", &parts, caption);
    Ok(format!("<rung-replay class=\"pair closed once\">\n{figure}\n</rung-replay>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_has_round_numbers() {
        let steps = [256_563, 1_230_253, 1000, 7].map(|length| step(length, 6));
        assert_eq!(steps, [50_000, 200_000, 200, 2]);
        assert_eq!(step(341_800, 4), 100_000);
        assert_eq!([4_501_000, 48_300, 420].map(time), ["4.5 s", "48 ms", "0.4 ms"]);
    }
}
