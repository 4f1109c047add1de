//! The still picture: one recording as SVG, in the two sizes of a chart.
//!
//! The bars lie in a group whose unit is the microsecond. `book/replay/replay.js` shows a part of the time by another
//! scale of that group, and takes it back for what must not be stretched: patterns and marks. What it has to know of
//! the drawing is in attributes that begin with `data-`.

use std::fmt::Write;

use crate::{
    charts::sheet::{NARROW, Sheet, WIDE, width},
    replay::picture::{Bar, Kind, Picture, Row},
    text::escape,
};

/// The height of the tallest bar.
const BAR: i32 = 14;

/// The rows together are this high, if that leaves each as much as its letters need: what plays is seen at once.
const ROOM: i32 = 400;

/// What is at the right of the plot.
const MARGIN: i32 = 8;

/// The size of a number in a bar.
const NUMBER: i32 = 12;

/// How far a mark may reach over the edge of the plot.
const EDGE: i32 = 2;

/// A label that is longer than this, in letters, is cut on a narrow sheet.
const LONG: usize = 14;

/// Two SVG elements on one line, of which the page shows one. `id` must be unique in the whole book.
pub fn draw(id: &str, title: &str, description: &str, picture: &Picture) -> String {
    let mut both = String::new();
    for sheet in [WIDE, NARROW] {
        let id = format!("{id}-{}", sheet.class);
        let _ = write!(both, "{}", one(&id, sheet, title, description, picture));
    }
    both
}

fn one(id: &str, sheet: Sheet, title: &str, description: &str, picture: &Picture) -> String {
    let rows = || picture.groups.iter().flat_map(|group| &group.rows);
    let pitch = (ROOM / rows().count().max(1) as i32).clamp(sheet.text + 2, sheet.text + 6);
    let labels = rows().map(|row| width(&label(row, sheet), sheet)).max().unwrap_or(0);
    let (left, right) = (labels + 8, sheet.width - MARGIN);
    let plot = Plot { id, duration: picture.duration, left, right };

    let top = sheet.text + 5;
    let (names, bars, y) = plot.rows(picture, sheet, pitch);
    let mut body = plot.definitions((top, y));
    axis(&mut body, sheet, picture.duration, (left, right), (top, y));
    let _ = write!(
        body,
        r#"<g clip-path="url(#{id}-plot)"><g class="time" transform="translate({left} 0) scale({} 1)">{bars}</g></g>"#,
        1.0 / plot.unit()
    );
    body += &names;
    let height = y + top;
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {height}\" font-size=\"{}\" fill=\"currentColor\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" data-left=\"{left}\" data-right=\"{right}\" data-top=\"{}\" \
         data-bottom=\"{y}\" data-ticks=\"{}\"><title id=\"{id}-title\">{}</title>\
         <desc id=\"{id}-desc\">{}</desc>{body}</svg>",
        sheet.class,
        sheet.width,
        sheet.text,
        top,
        sheet.ticks,
        escape(title),
        escape(description),
    )
}

/// A row's name; on a narrow sheet without the family that a runtime gives its threads.
fn label(row: &Row, sheet: Sheet) -> String {
    let mut label = row.label.as_str();
    while sheet.class == NARROW.class && label.chars().count() > LONG {
        let cut = ['/', '-', ' '].iter().find_map(|mark| label.split_once(*mark));
        let Some((_, rest)) = cut else { break };
        label = rest;
    }
    label.to_owned()
}

/// Where the bars of a drawing are.
struct Plot<'a> {
    id: &'a str,
    duration: u64,
    left: i32,
    right: i32,
}

impl Plot<'_> {
    /// A unit of the sheet, in microseconds.
    fn unit(&self) -> f64 {
        self.duration.max(1) as f64 / f64::from(self.right - self.left)
    }

    /// All rows from top to bottom: their names with the numbers of requests, their bars, and where they end.
    fn rows(&self, picture: &Picture, sheet: Sheet, pitch: i32) -> (String, String, i32) {
        let (mut names, mut bars) = (String::new(), String::new());
        let (mut y, mut index) = (0, 0);
        for group in &picture.groups {
            let (at, name) = (y + sheet.text, escape(&group.name));
            let _ = write!(names, r#"<text x="0" y="{at}" class="group">{name}</text>"#);
            y += sheet.text + 5;
            for row in &group.rows {
                let top = y + (pitch - BAR) / 2;
                let _ = write!(
                    names,
                    r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#,
                    self.left - 8,
                    top + BAR / 2 + sheet.text / 3 + 1,
                    escape(&label(row, sheet)),
                );
                let _ = write!(bars, r#"<g transform="translate(0 {top})">"#);
                for bar in &row.bars {
                    self.bar(&mut bars, index, bar);
                    self.number(&mut names, index, bar, top);
                    index += 1;
                }
                bars.push_str("</g>");
                y += pitch;
            }
            y += 4;
        }
        (names, bars, y)
    }

    /// The plot's edges; stripes for what waits in line, dots for what holds nothing; the marks.
    fn definitions(&self, (top, bottom): (i32, i32)) -> String {
        let Plot { id, left, right, .. } = self;
        let unit = self.unit();
        // A mark at the edge is seen.
        let (from, wide, high) = (left - EDGE, right - left + 2 * EDGE, bottom - top);
        let marker = |name: &str, shape: &str| {
            format!(
                "<marker id=\"{id}-{name}\" markerUnits=\"userSpaceOnUse\" overflow=\"visible\">\
                 <path d=\"{shape}\" transform=\"scale({unit} 1)\"/></marker>"
            )
        };
        format!(
            "<defs><clipPath id=\"{id}-plot\"><path d=\"M{from} {top}h{wide}v{high}h-{wide}z\"/></clipPath>\
             <pattern id=\"{id}-line\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"scale({unit} 1)\"><path d=\"M-1 1l2-2M0 7l7-7M6 8l2-2\" stroke=\"currentColor\" \
             stroke-width=\"1.6\"/></pattern>\
             <pattern id=\"{id}-dots\" width=\"6.5\" height=\"{BAR}\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"scale({unit} 1)\"><circle cx=\"2\" cy=\"{}\" r=\"1.5\"/></pattern>{}{}</defs>",
            BAR / 2,
            marker("woken", "M0 9l-3 5h6z\" fill=\"var(--bg)\" stroke=\"currentColor"),
            marker("answered", "M0 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"),
        )
    }

    fn bar(&self, drawn: &mut String, index: usize, bar: &Bar) {
        let (paint, line) = (paint(self.id, bar.kind, bar.who), path(bar.kind, &bar.spans));
        let _ = write!(drawn, r#"<path data-bar="{index}" {paint} d="{line}"/>"#);
    }

    /// The number of a request, in the widest piece of its bar.
    fn number(&self, drawn: &mut String, index: usize, bar: &Bar, top: i32) {
        let Some(request) = bar.request else { return };
        let number = (request + 1).to_string();
        let place = |time: u64| f64::from(self.left) + time as f64 / self.unit();
        let pieces: Vec<_> = bar.spans.iter().map(|span| (place(span.0), place(span.1))).collect();
        let place = match number_at(&pieces, number.len()) {
            Some(x) => format!("x=\"{x}\""),
            None => "display=\"none\"".to_owned(),
        };
        let y = top + BAR / 2 + 4;
        let _ = write!(
            drawn,
            r#"<text class="number" data-number="{index}" {place} y="{y}" font-size="{NUMBER}">{number}</text>"#,
        );
    }
}

/// How a bar looks. A line around it that no scale makes wider keeps a few microseconds visible.
fn paint(id: &str, kind: Kind, who: Option<usize>) -> String {
    let colour = colour(who);
    let line = "vector-effect=\"non-scaling-stroke\"";
    let mark = |name| {
        let url = format!("url(#{id}-{name})");
        format!("fill=\"none\" marker-start=\"{url}\" marker-mid=\"{url}\" marker-end=\"{url}\"")
    };
    match kind {
        Kind::Idle => "fill=\"var(--chart-axis)\"".to_owned(),
        Kind::Free => format!("fill=\"url(#{id}-dots)\""),
        Kind::Ready => format!("fill=\"url(#{id}-line)\""),
        Kind::Holds => {
            format!("fill=\"{colour}\" fill-opacity=\"0.16\" stroke=\"{colour}\" {line}")
        }
        Kind::Runs => {
            format!("fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"2\" {line}")
        }
        Kind::Woken => mark("woken"),
        Kind::Answered => mark("answered"),
    }
}

fn colour(who: Option<usize>) -> &'static str {
    if who.is_some() { "var(--s)" } else { "var(--soft)" }
}

/// The outline of a bar, in microseconds; marks are points.
fn path(kind: Kind, spans: &[(u64, u64)]) -> String {
    let (y, height) = match kind {
        // With its line it is as high as a bar may be.
        Kind::Runs => (1.0, f64::from(BAR) - 2.0),
        Kind::Holds => (1.0, 12.0),
        Kind::Ready => (3.0, 8.0),
        Kind::Free => (5.0, 4.0),
        Kind::Idle => (6.5, 1.0),
        Kind::Woken | Kind::Answered => {
            let points: Vec<_> = spans.iter().map(|(at, _)| format!("{at} 0")).collect();
            return format!("M{}", points.join("L"));
        }
    };
    let mut line = String::new();
    for &(from, to) in spans {
        let wide = to - from;
        let _ = write!(line, "M{from} {y}h{wide}v{height}h-{wide}z");
    }
    line
}

/// Where the number of a request is written: in the widest piece, if it has room there.
fn number_at(rectangles: &[(f64, f64)], digits: usize) -> Option<f64> {
    let mut widest = (0.0, 0.0);
    for &(from, to) in rectangles {
        if to - from > widest.1 - widest.0 {
            widest = (from, to);
        }
    }
    (widest.1 - widest.0 >= 6.0 + 7.0 * digits as f64).then(|| tenth(widest.0 + 3.0))
}

fn tenth(value: f64) -> f64 {
    // Rounds a half up, as the script's language does.
    (value * 10.0 + 0.5).floor() / 10.0
}

/// The step between two numbers of the time axis, in microseconds: 1, 2 or 5 and zeros.
fn step(length: u64, most: usize) -> u64 {
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

fn axis(
    body: &mut String,
    sheet: Sheet,
    duration: u64,
    (left, right): (i32, i32),
    (top, bottom): (i32, i32),
) {
    body.push_str(r#"<g class="axis">"#);
    let step = step(duration, sheet.ticks);
    for time in (0..=duration).step_by(step as usize) {
        let share = time as f64 / duration.max(1) as f64;
        let x = tenth(f64::from(left) + share * f64::from(right - left));
        // Whole milliseconds are enough for a recording of some length.
        let number = time as f64 / 1000.0;
        let unit = if time == 0 { " ms" } else { "" };
        let _ = write!(
            body,
            r#"<path d="M{x} {top}V{bottom}" stroke="var(--chart-grid)"/><text x="{x}" y="{}" text-anchor="middle">{number}{unit}</text>"#,
            bottom + sheet.text
        );
    }
    body.push_str("</g>");
}

/// What the forms mean that are in this picture, as HTML.
pub fn marks(picture: &Picture) -> String {
    let bars = || picture.groups.iter().flat_map(|group| &group.rows).flat_map(|row| &row.bars);
    let holds = "<path d=\"M1 4H29V16H1z\" fill=\"currentColor\" fill-opacity=\"0.16\" stroke=\"currentColor\"/>\
                 <text x=\"4\" y=\"14\" font-size=\"11\">5</text>";
    let line = "<path d=\"M2 14l8-8M8 14l8-8M14 14l8-8M20 14l8-8\" stroke=\"currentColor\" stroke-width=\"1.6\"/>";
    let dots = "<path d=\"M3 10H29\" stroke=\"currentColor\" stroke-width=\"3\" stroke-linecap=\"round\" \
                stroke-dasharray=\"0 6.5\"/>";
    let woken = "<path d=\"M15 7l-3 5h6z\" fill=\"none\" stroke=\"currentColor\"/>";
    let entries = [
        (Kind::Runs, "<path d=\"M0 3H30V17H0z\"/>", "works on a CPU"),
        (Kind::Holds, holds, "waits, and holds a thread; the number is the request\u{2019}s"),
        (Kind::Ready, line, "stands in line"),
        (Kind::Free, dots, "waits, and holds nothing"),
        (Kind::Idle, "<path d=\"M0 9.5H30V10.5H0z\"/>", "idle"),
        (Kind::Woken, woken, "is woken"),
        (Kind::Answered, "<circle cx=\"15\" cy=\"10\" r=\"3\"/>", "is answered"),
    ];
    let mut text = String::from("<p class=\"replay-marks\">");
    for (_, sample, words) in entries.iter().filter(|(kind, ..)| bars().any(|it| it.kind == *kind))
    {
        let _ = write!(
            text,
            "<span><svg class=\"mark\" viewBox=\"0 0 30 20\" fill=\"currentColor\" aria-hidden=\"true\">\
             {sample}</svg>{words}</span> "
        );
    }
    text.trim_end().to_owned() + "</p>"
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::{both_sizes, has, is_in_the_theme};

    fn drawn() -> String {
        draw("replay", "A <title>", "Some \"words\" & more", &Picture::of(&recording()))
    }

    #[test]
    fn both_sizes_are_well_formed_and_show_every_bar() {
        let picture = Picture::of(&recording());
        let rows = picture.groups.iter().flat_map(|group| &group.rows);
        let bars: Vec<_> = rows.flat_map(|row| &row.bars).collect();
        both_sizes(&drawn(), "A <title>", |svg| {
            let number = |name| svg.attribute(name).unwrap().parse::<f64>().unwrap();
            assert!(number("data-left") < number("data-right"));
            let paths: Vec<_> =
                svg.descendants().filter(|node| node.attribute("data-bar").is_some()).collect();
            assert_eq!(paths.len(), bars.len());
            for (index, (path, bar)) in paths.iter().zip(&bars).enumerate() {
                assert_eq!(path.attribute("data-bar"), Some(&*index.to_string()));
                let line = path.attribute("d").unwrap();
                if bar.kind.is_mark() {
                    assert_eq!(line.matches(['M', 'L']).count(), bar.spans.len(), "{line}");
                    continue;
                }
                // Each piece begins and ends when its span does.
                for &(from, to) in &bar.spans {
                    let piece = line.split_once(&format!("M{from} ")).unwrap().1;
                    has(piece.split('M').next().unwrap(), &[&format!("h{}v", to - from)]);
                }
            }
        });
    }

    #[test]
    fn a_row_has_its_name_and_a_long_one_is_cut_where_there_is_no_room() {
        let mut recording = recording();
        recording.threads[0].name = "async-std/runtime 1".to_owned();
        let svg = draw("replay", "", "", &Picture::of(&recording));
        let labels = [">worker 2<", ">CPU 0<", ">request 2<", ">accept &lt;loop&gt; &amp; more<"];
        has(&svg, &labels);
        let [wide, narrow] = svg.split("</svg>").collect::<Vec<_>>()[..2] else { panic!("{svg}") };
        has(wide, &[">async-std/runtime 1<"]);
        assert!(narrow.contains(">runtime 1<") && !narrow.contains("async-std"), "{narrow}");
    }

    #[test]
    fn every_colour_is_the_themes() {
        is_in_the_theme(&drawn());
    }

    #[test]
    fn bars_are_drawn_in_microseconds_and_marks_are_points() {
        let spans = [(0, 100), (150, 151)];
        assert_eq!(path(Kind::Holds, &spans), "M0 1h100v12h-100zM150 1h1v12h-1z");
        assert_eq!(path(Kind::Woken, &[(500, 500), (700, 700)]), "M500 0L700 0");
    }

    #[test]
    fn a_number_stands_in_the_widest_piece_or_nowhere() {
        assert_eq!(number_at(&[(10.0, 30.0), (40.0, 90.0)], 2), Some(43.0));
        assert_eq!(number_at(&[(10.0, 28.0)], 2), None);
        assert_eq!(number_at(&[(10.0, 23.0)], 1), Some(13.0));
        assert_eq!(number_at(&[], 1), None);
    }

    #[test]
    fn only_the_marks_that_occur_are_explained() {
        let mut recording = recording();
        recording.tasks.truncate(2);
        let with_tasks = marks(&Picture::of(&recording));
        assert!(with_tasks.contains("is woken") && with_tasks.contains("holds nothing"));
        assert!(!with_tasks.contains("holds a thread"), "{with_tasks}");
        recording.tasks.clear();
        recording.requests.iter_mut().for_each(|request| request.task = None);
        let without = marks(&Picture::of(&recording));
        assert!(!without.contains("is woken") && !without.contains("holds nothing"), "{without}");
        has(&without, &["holds a thread"]);
    }

    #[test]
    fn the_axis_has_round_numbers() {
        assert_eq!(
            [256_563, 1_230_253, 1000, 7].map(|length| step(length, 6)),
            [50_000, 200_000, 200, 2]
        );
        assert_eq!(step(341_800, 4), 100_000);
    }
}
