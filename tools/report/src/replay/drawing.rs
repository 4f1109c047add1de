//! The still picture: one recording as SVG, in the two sizes of a chart.
//!
//! `book/replay/replay.js` draws the same bars anew for a part of the time. What it has to know of the drawing is in
//! attributes that begin with `data-`; how a bar is drawn is written twice, and a test in a browser holds the two
//! together.

use std::fmt::Write;

use super::picture::{Bar, Kind, Picture, Row};
use crate::charts::NARROW;
use crate::charts::Sheet;
use crate::charts::WIDE;
use crate::charts::escape;
use crate::charts::width;

/// How many colours there are for threads; more threads begin again.
const COLOURS: usize = 8;

/// The height of the tallest bar.
const BAR: i32 = 14;

/// The rows together are this high, if that leaves each as much as its letters need: what plays is seen at once.
const ROOM: i32 = 400;

/// What is at the right of the plot.
const MARGIN: i32 = 8;

/// The size of a number in a bar.
const NUMBER: i32 = 12;

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

    let mut y = 0;
    let mut index = 0;
    let mut drawn = String::new();
    for group in &picture.groups {
        let _ = write!(
            drawn,
            r#"<text x="0" y="{}" class="group">{}</text>"#,
            y + sheet.text,
            escape(&group.name)
        );
        y += sheet.text + 5;
        for row in &group.rows {
            let top = y + (pitch - BAR) / 2;
            let _ = write!(
                drawn,
                r#"<text x="{}" y="{}" text-anchor="end">{}</text><g transform="translate(0 {top})">"#,
                left - 8,
                top + BAR / 2 + sheet.text / 3 + 1,
                escape(&label(row, sheet)),
            );
            for bar in &row.bars {
                plot.bar(&mut drawn, index, bar);
                index += 1;
            }
            drawn.push_str("</g>");
            y += pitch;
        }
        y += 4;
    }
    let mut body = patterns(id);
    axis(&mut body, sheet, picture.duration, (left, right), (sheet.text + 5, y));
    body += &drawn;
    let height = y + sheet.text + 5;
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {height}\" font-size=\"{}\" fill=\"currentColor\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" data-left=\"{left}\" data-right=\"{right}\" data-top=\"{}\" \
         data-bottom=\"{y}\" data-ticks=\"{}\"><title id=\"{id}-title\">{}</title>\
         <desc id=\"{id}-desc\">{}</desc>{body}</svg>",
        sheet.class,
        sheet.width,
        sheet.text,
        sheet.text + 5,
        sheet.ticks,
        escape(title),
        escape(description),
    )
}

/// Stripes for what stands in line, dots for what holds nothing.
fn patterns(id: &str) -> String {
    format!(
        "<defs><pattern id=\"{id}-line\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M1 0V5\" stroke=\"currentColor\" stroke-width=\"1.6\"/>\
         </pattern><pattern id=\"{id}-dots\" width=\"6.5\" height=\"{BAR}\" patternUnits=\"userSpaceOnUse\">\
         <circle cx=\"2\" cy=\"{}\" r=\"1.5\"/></pattern></defs>",
        BAR / 2
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
    fn bar(&self, drawn: &mut String, index: usize, bar: &Bar) {
        let part = (0, self.duration);
        let rectangles = rectangles(bar.kind, &bar.spans, part, (self.left, self.right));
        let _ = write!(
            drawn,
            r#"<path data-bar="{index}" {} d="{}"/>"#,
            paint(self.id, bar.kind, bar.who),
            path(bar.kind, &rectangles)
        );
        if let Some(request) = bar.request {
            let number = (request + 1).to_string();
            let place = match number_at(&rectangles, number.len()) {
                Some(x) => format!("x=\"{x}\""),
                None => "display=\"none\"".to_owned(),
            };
            let _ = write!(
                drawn,
                r#"<text class="number" data-number="{index}" {place} y="{}" font-size="{NUMBER}">{number}</text>"#,
                BAR / 2 + 4
            );
        }
    }
}

/// How a bar looks.
fn paint(id: &str, kind: Kind, who: Option<usize>) -> String {
    match kind {
        Kind::Idle => "fill=\"var(--chart-axis)\"".to_owned(),
        Kind::Free => format!("fill=\"url(#{id}-dots)\""),
        Kind::Ready => format!("fill=\"url(#{id}-line)\""),
        Kind::Holds => format!("fill=\"{0}\" fill-opacity=\"0.16\" stroke=\"{0}\"", colour(who)),
        Kind::Runs => format!("fill=\"{}\"", colour(who)),
        Kind::Woken => "fill=\"var(--bg)\" stroke=\"currentColor\"".to_owned(),
        Kind::Answered => "fill=\"currentColor\"".to_owned(),
    }
}

fn colour(who: Option<usize>) -> String {
    match who {
        Some(who) => format!("var(--thread-{})", who % COLOURS + 1),
        None => "var(--thread-none)".to_owned(),
    }
}

/// Where a bar lies in its row, how high it is, and how wide at least: what took a few microseconds is seen all the
/// same.
fn shape(kind: Kind) -> (f64, f64, f64) {
    match kind {
        Kind::Runs => (0.0, f64::from(BAR), 2.0),
        Kind::Holds => (1.0, 12.0, 1.0),
        Kind::Ready => (3.0, 8.0, 1.0),
        Kind::Free => (5.0, 4.0, 1.0),
        Kind::Idle => (6.5, 1.0, 1.0),
        Kind::Woken | Kind::Answered => (0.0, 0.0, 0.0),
    }
}

/// From where to where the spans of a bar go that lie in this part of the time. Those that touch are one.
fn rectangles(
    kind: Kind,
    spans: &[(u64, u64)],
    part: (u64, u64),
    (left, right): (i32, i32),
) -> Vec<(f64, f64)> {
    let (left, right) = (f64::from(left), f64::from(right));
    let (start, end) = (part.0 as f64, part.1 as f64);
    let place = |time: f64| tenth(left + (time - start) / (end - start) * (right - left));
    let (.., least) = shape(kind);
    let mut rectangles: Vec<(f64, f64)> = Vec::new();
    for &(from, to) in spans {
        let (from, to) = (from as f64, to as f64);
        if to < start || from > end {
            continue;
        }
        let x = place(from.max(start));
        let to = place(to.min(end)).max(tenth(x + least));
        match rectangles.last_mut() {
            Some(last) if x <= last.1 && !kind.is_mark() => last.1 = last.1.max(to),
            _ => rectangles.push((x, to)),
        }
    }
    rectangles
}

/// The outline of a bar.
fn path(kind: Kind, rectangles: &[(f64, f64)]) -> String {
    let (y, height, _) = shape(kind);
    let mut line = String::new();
    for &(from, to) in rectangles {
        let wide = tenth(to - from);
        let _ = match kind {
            Kind::Woken => write!(line, "M{from} 9l-3 5h6z"),
            Kind::Answered => write!(line, "M{from} 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"),
            _ => write!(line, "M{from} {y}h{wide}v{height}h-{wide}z"),
        };
    }
    line
}

/// Where the number of a request stands: in the widest piece, if it has room there.
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
    use super::*;
    use crate::replay::picture::tests::recording;

    fn drawn() -> String {
        draw("replay", "A <title>", "Some \"words\" & more", &Picture::of(&recording()))
    }

    #[test]
    fn both_sizes_are_well_formed_and_show_every_bar() {
        let svg = drawn();
        assert!(!svg.contains('\n'), "{svg}");
        let page = format!("<page>{svg}</page>");
        let page = roxmltree::Document::parse(&page).unwrap();
        let both: Vec<_> = page.root_element().children().collect();
        assert_eq!(both.len(), 2);
        let picture = Picture::of(&recording());
        let bars: Vec<_> =
            picture.groups.iter().flat_map(|group| &group.rows).flat_map(|row| &row.bars).collect();
        for (svg, class) in both.iter().zip(["wide", "narrow"]) {
            assert_eq!(svg.attribute("class"), Some(class));
            assert_eq!(svg.attribute("role"), Some("img"));
            let title = svg.children().find(|node| node.has_tag_name("title")).unwrap();
            assert_eq!(title.text(), Some("A <title>"));
            let number = |name| svg.attribute(name).unwrap().parse::<f64>().unwrap();
            let (left, right) = (number("data-left"), number("data-right"));
            let paths: Vec<_> =
                svg.descendants().filter(|node| node.attribute("data-bar").is_some()).collect();
            assert_eq!(paths.len(), bars.len());
            for (index, (path, bar)) in paths.iter().zip(&bars).enumerate() {
                assert_eq!(path.attribute("data-bar"), Some(&*index.to_string()));
                let line = path.attribute("d").unwrap();
                if bar.kind.is_mark() {
                    assert_eq!(line.matches('M').count(), bar.spans.len(), "{line}");
                    continue;
                }
                // Where each piece begins and ends, read back from the drawing.
                let pieces: Vec<(f64, f64)> = line
                    .split('M')
                    .skip(1)
                    .map(|piece| {
                        let (x, rest) = piece.split_once(' ').unwrap();
                        let (_, rest) = rest.split_once('h').unwrap();
                        let (wide, _) = rest.split_once('v').unwrap();
                        let x: f64 = x.parse().unwrap();
                        (x, x + wide.parse::<f64>().unwrap())
                    })
                    .collect();
                for &(from, to) in &bar.spans {
                    let place = |time: u64| left + time as f64 / 1000.0 * (right - left);
                    let covered = pieces
                        .iter()
                        .any(|piece| piece.0 <= place(from) + 0.1 && piece.1 >= place(to) - 0.1);
                    assert!(covered, "{from} to {to} in {line}");
                }
                assert!(pieces.iter().all(|(from, to)| to - from > 0.9), "{line}");
            }
        }
    }

    #[test]
    fn a_row_has_its_name_and_a_long_one_is_cut_where_there_is_no_room() {
        let mut recording = recording();
        recording.threads[0].name = "async-std/runtime 1".to_owned();
        let svg = draw("replay", "", "", &Picture::of(&recording));
        for text in [">worker 2<", ">CPU 0<", ">request 2<", ">accept &lt;loop&gt; &amp; more<"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        let [wide, narrow] = svg.split("</svg>").collect::<Vec<_>>()[..2] else { panic!("{svg}") };
        assert!(wide.contains(">async-std/runtime 1<"), "{wide}");
        assert!(narrow.contains(">runtime 1<") && !narrow.contains("async-std"), "{narrow}");
    }

    #[test]
    fn no_colour_is_fixed_and_all_are_in_the_theme() {
        let svg = drawn();
        let fixed = regex::Regex::new(r##""#[0-9A-Fa-f]{3,8}"|rgb|style=|xmlns"##).unwrap();
        assert_eq!(fixed.find(&svg), None, "{svg}");
        let read = |name| {
            std::fs::read_to_string(format!("{}/../book/theme/{name}", env!("CARGO_MANIFEST_DIR")))
                .unwrap()
        };
        let css = read("ladder.css") + &read("paper.css");
        let names = (0..COLOURS).map(|who| colour(Some(who))).chain([colour(None)]);
        for name in names {
            let name = name.trim_start_matches("var(").trim_end_matches(')').to_owned();
            // Light, dark, dark without JavaScript, and on paper.
            assert_eq!(css.matches(&format!("{name}:")).count(), 4, "{name}");
        }
    }

    #[test]
    fn a_part_of_the_time_is_drawn_from_edge_to_edge() {
        let line = |kind, spans: &[(u64, u64)], part, edges| {
            path(kind, &rectangles(kind, spans, part, edges))
        };
        let spans = [(0, 100), (150, 151), (190, 400)];
        assert_eq!(
            line(Kind::Runs, &spans, (50, 250), (100, 300)),
            "M100 0h50v14h-50zM200 0h2v14h-2zM240 0h60v14h-60z"
        );
        // What would lie on each other is one.
        assert_eq!(line(Kind::Idle, &[(0, 1), (2, 3)], (0, 2000), (0, 100)), "M0 6.5h1.1v1h-1.1z");
        assert_eq!(line(Kind::Woken, &[(500, 500)], (0, 1000), (0, 100)), "M50 9l-3 5h6z");
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
        assert!(without.contains("holds a thread"), "{without}");
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
