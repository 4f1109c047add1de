//! The still picture: one recording as SVG, in the two sizes of a chart.
//!
//! `book/replay/replay.js` draws the same bars anew for a part of the time. What it has to know of the drawing is in
//! attributes that begin with `data-`; how a bar is drawn is written twice, and a test in a browser holds the two
//! together.

use std::fmt::Write;

use super::picture::{Kind, Picture, Row};
use crate::charts::{NARROW, Sheet, WIDE, escape, width, wrap};

/// How many colours there are for threads; more threads begin again.
const COLOURS: usize = 8;

/// The height of a bar.
const BAR: i32 = 12;

/// The width of a sample in the legend.
const SAMPLE: i32 = 24;

/// What is at the right of the plot.
const MARGIN: i32 = 8;

/// The least width of a bar: what took a few microseconds is seen all the same.
const LEAST: f64 = 1.0;

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
    let pitch = sheet.text + 5;
    let rows = || picture.groups.iter().flat_map(|group| &group.rows);
    let labels = rows().map(|row| width(&label(row, sheet), sheet)).max().unwrap_or(0);
    let (left, right) = (labels + 8, sheet.width - MARGIN);

    let mut body = String::new();
    let mut y = legend(&mut body, sheet, picture);
    // The numbers of the time axis stand above the rows and, as there may be many, below them again.
    y += pitch;
    let top = y;
    let mut index = 0;
    let mut drawn = String::new();
    for group in &picture.groups {
        let _ = write!(
            drawn,
            r#"<text x="0" y="{}" class="group">{}</text>"#,
            y + sheet.text,
            escape(&group.name)
        );
        y += pitch + 2;
        for row in &group.rows {
            let _ = write!(
                drawn,
                r#"<text x="{}" y="{}" text-anchor="end">{}</text><g transform="translate(0 {})">"#,
                left - 8,
                y + sheet.text,
                escape(&label(row, sheet)),
                y + (pitch - BAR) / 2 - 1
            );
            for bar in &row.bars {
                let line = path(bar.kind, &bar.spans, (0, picture.duration), (left, right));
                let _ = write!(
                    drawn,
                    r#"<path data-bar="{index}" fill="{}" d="{line}"/>"#,
                    fill(bar.kind, bar.who)
                );
                index += 1;
            }
            drawn.push_str("</g>");
            y += pitch;
        }
        y += 6;
    }
    let bottom = y;
    axis(&mut body, sheet, picture.duration, (left, right), (top, bottom));
    body += &drawn;
    let height = bottom + 2 * pitch + 2;
    let _ = write!(
        body,
        r#"<text x="{}" y="{}" text-anchor="middle">milliseconds since the recording began</text>"#,
        (left + right) / 2,
        height - 6
    );
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {height}\" font-size=\"{}\" fill=\"currentColor\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" data-left=\"{left}\" data-right=\"{right}\" data-top=\"{top}\" \
         data-bottom=\"{bottom}\" data-ticks=\"{}\"><title id=\"{id}-title\">{}</title>\
         <desc id=\"{id}-desc\">{}</desc>{body}</svg>",
        sheet.class,
        sheet.width,
        sheet.text,
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

fn fill(kind: Kind, who: Option<usize>) -> String {
    match kind {
        Kind::Mark => "currentColor".to_owned(),
        _ => colour(who),
    }
}

fn colour(who: Option<usize>) -> String {
    match who {
        Some(who) => format!("var(--thread-{})", who % COLOURS + 1),
        None => "var(--thread-none)".to_owned(),
    }
}

/// Where a bar lies in its row, and how high it is.
fn shape(kind: Kind) -> (f64, f64) {
    match kind {
        Kind::Runs => (0.0, f64::from(BAR)),
        Kind::Ready => (3.5, 5.0),
        Kind::Waits => (5.25, 1.5),
        // It sticks out above, so that it is seen on a bar.
        Kind::Mark => (-3.0, 6.0),
    }
}

/// The outline of all spans of a bar that lie in this part of the time. Those that touch are one.
fn path(kind: Kind, spans: &[(u64, u64)], part: (u64, u64), (left, right): (i32, i32)) -> String {
    let (left, right) = (f64::from(left), f64::from(right));
    let (start, end) = (part.0 as f64, part.1 as f64);
    let place = |time: f64| tenth(left + (time - start) / (end - start) * (right - left));
    let (y, height) = shape(kind);
    let mut rectangles: Vec<(f64, f64)> = Vec::new();
    for &(from, to) in spans {
        let (from, to) = (from as f64, to as f64);
        if to < start || from > end {
            continue;
        }
        let x = place(from.max(start));
        let to = place(to.min(end)).max(tenth(x + LEAST));
        match rectangles.last_mut() {
            Some(last) if x <= last.1 => last.1 = last.1.max(to),
            _ => rectangles.push((x, to)),
        }
    }
    let mut line = String::new();
    for (from, to) in rectangles {
        let wide = tenth(to - from);
        let _ = write!(line, "M{from} {y}h{wide}v{height}h-{wide}z");
    }
    line
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
        let _ = write!(
            body,
            r#"<path d="M{x} {top}V{bottom}" stroke="var(--chart-grid)"/><text x="{x}" y="{}" text-anchor="middle">{number}</text><text x="{x}" y="{}" text-anchor="middle">{number}</text>"#,
            top - 5,
            bottom + sheet.text
        );
    }
    body.push_str("</g>");
}

/// What the four forms mean; the height that it takes.
fn legend(body: &mut String, sheet: Sheet, picture: &Picture) -> i32 {
    let tasks = picture.groups.iter().any(|group| group.id == "tasks");
    let with = |text: &str, of_tasks: &str| format!("{text}{}", if tasks { of_tasks } else { "" });
    let entries = [
        (
            Kind::Runs,
            with("a thread runs on a CPU, a handler has the request", ", a task is polled"),
        ),
        (
            Kind::Ready,
            with(
                "it could go on and waits for its turn: for a CPU, for a handler",
                ", for a thread that polls it",
            ),
        ),
        (Kind::Waits, "it waits for something else: the network, a timer, a lock, work".to_owned()),
        (Kind::Mark, with("the request is answered", ", the task is woken")),
    ];
    let pitch = sheet.text + 5;
    let mut y = 0;
    for (kind, text) in entries {
        let (top, height) = shape(kind);
        let (x, wide) = if kind == Kind::Mark { (SAMPLE / 2, 1) } else { (0, SAMPLE) };
        let _ = write!(
            body,
            r#"<path fill="{}" d="M{x} {}h{wide}v{height}h-{wide}z"/>"#,
            fill(kind, None),
            f64::from(y + (pitch - BAR) / 2) + top
        );
        for line in wrap(&text, sheet.width - SAMPLE - 8, sheet) {
            let _ = write!(
                body,
                r#"<text x="{}" y="{}">{}</text>"#,
                SAMPLE + 8,
                y + sheet.text - 2,
                escape(&line)
            );
            y += pitch;
        }
        y += 2;
    }
    y + 4
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
        let path = format!("{}/../book/theme/ladder.css", env!("CARGO_MANIFEST_DIR"));
        let css = std::fs::read_to_string(path).unwrap();
        let names = (0..COLOURS).map(|who| colour(Some(who))).chain([colour(None)]);
        for name in names {
            let name = name.trim_start_matches("var(").trim_end_matches(')').to_owned();
            // Light, dark, dark without JavaScript, and on paper.
            assert_eq!(css.matches(&format!("{name}:")).count(), 4, "{name}");
        }
    }

    #[test]
    fn a_part_of_the_time_is_drawn_from_edge_to_edge() {
        let spans = [(0, 100), (150, 151), (190, 400)];
        let line = path(Kind::Runs, &spans, (50, 250), (100, 300));
        assert_eq!(line, "M100 0h50v12h-50zM200 0h1v12h-1zM240 0h60v12h-60z");
        // What would lie on each other is one.
        assert_eq!(
            path(Kind::Waits, &[(0, 1), (2, 3)], (0, 2000), (0, 100)),
            "M0 5.25h1.1v1.5h-1.1z"
        );
        assert_eq!(path(Kind::Mark, &[(500, 500)], (0, 1000), (0, 100)), "M50 -3h1v6h-1z");
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
