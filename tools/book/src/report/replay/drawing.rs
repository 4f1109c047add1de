//! The still picture: one recording as SVG, in the two sizes of a chart.
//!
//! What `book/pictures/rows.js` needs to draw a part of the time in its place is in attributes that begin with `data-`.

use std::fmt::Write;

use crate::report::{
    charts::sheet::{NARROW, Sheet, WIDE, element, widest, width},
    replay::{
        marks::{Marks, Plot, hatch, tenth},
        picture::{Group, Picture, Row},
    },
    text::escape,
};

/// The rows together are this high, if that leaves each as much as its letters need: what plays is seen at once.
const ROOM: i32 = 310;

const PITCH: (i32, i32) = (14, 20);

const MARGIN: i32 = 12;
/// A label that is longer than this, in letters, is cut on a narrow sheet.
const LONG: usize = 10;
/// The radius of an answer's dot, on a wide sheet and on a narrow one, as the style sheet has it.
const DOTS: (f64, f64) = (4.0, 2.9);

/// Two elements on one line, of which the page shows one. `id` is unique in the book.
pub fn draw(id: &str, title: &str, description: &str, picture: &Picture) -> String {
    let words = (title, description);
    let one = |sheet: Sheet| one(&format!("{id}-{}", sheet.class), sheet, words, picture);
    [WIDE, NARROW].map(one).concat()
}

fn one(id: &str, sheet: Sheet, words: (&str, &str), picture: &Picture) -> String {
    let rows = || picture.groups.iter().flat_map(|group| &group.rows);
    let plot = Plot {
        left: widest(rows().map(|row| label(row, sheet)), sheet) + 8,
        right: sheet.width - MARGIN,
        duration: picture.duration,
        pitch: (ROOM / rows().count().max(1) as i32).clamp(PITCH.0, PITCH.1),
        dot: if sheet.class == NARROW.class { DOTS.1 } else { DOTS.0 },
    };
    let lines = Lines::of(picture, sheet, &plot);
    let Lines { bottom, names, marks, .. } = &lines;
    let Plot { left, right, pitch, dot, .. } = plot;
    let middles: Vec<String> = lines.middles.iter().map(f64::to_string).collect();
    let data = format!(
        " data-left=\"{left}\" data-right=\"{right}\" data-pitch=\"{pitch}\" data-dot=\"{dot}\" data-ticks=\"{}\" \
         data-rows=\"{}\" data-bottom=\"{bottom}\"",
        sheet.ticks,
        middles.join(" ")
    );
    let pattern = format!("{id}-hatch");
    let body = hatch(&pattern) + &axis(sheet, &plot, &lines) + &marks.draw(&pattern) + names;
    element(id, (sheet.class, &data), (sheet.width, bottom + sheet.text + 6), words, &body)
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

#[derive(Default)]
struct Lines {
    names: String,
    marks: Marks,
    /// The middle of each row.
    middles: Vec<f64>,
    /// Where the rows of a group begin and end.
    groups: Vec<(i32, i32)>,
    bottom: i32,
}

impl Lines {
    fn of(picture: &Picture, sheet: Sheet, plot: &Plot) -> Lines {
        let mut lines = Lines::default();
        let mut y = 0;
        for group in &picture.groups {
            let _ = write!(lines.names, "<text y=\"{}\">{}</text>", y + 14, heading(group, sheet));
            y += 20;
            let top = y;
            for row in &group.rows {
                let middle = f64::from(y) + f64::from(plot.pitch) / 2.0;
                let _ = write!(
                    lines.names,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                    plot.left - 8,
                    tenth(middle + 4.5),
                    escape(&label(row, sheet)),
                );
                lines.marks.row(plot, middle, &row.bars);
                lines.middles.push(middle);
                y += plot.pitch;
            }
            lines.groups.push((top, y));
            y += 6;
        }
        lines.bottom = y - 2;
        lines
    }
}

/// What a group is, and where there is room what to see in it.
fn heading(group: &Group, sheet: Sheet) -> String {
    let (first, rest) = group.id.split_at(1);
    let name = if group.id == "cpus" { "CPUs".to_owned() } else { first.to_uppercase() + rest };
    let note = match width(&format!("{name}  {}", group.note), sheet) <= sheet.width {
        true => format!("<tspan class=\"soft\" dx=\"10\">{}</tspan>", escape(&group.note)),
        false => String::new(),
    };
    format!("<tspan class=\"heading\">{name}</tspan>{note}")
}

/// The step between two numbers of the time axis, in microseconds: 1, 2 or 5 and zeros.
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

/// The lines of the time lie behind rows, and not behind headings.
fn axis(sheet: Sheet, plot: &Plot, lines: &Lines) -> String {
    let mut grid = String::new();
    let mut numbers = String::new();
    for time in (0..=plot.duration).step_by(step(plot.duration, sheet.ticks) as usize) {
        let x = tenth(plot.place(time));
        for (top, bottom) in &lines.groups {
            let _ = write!(grid, "M{x} {top}V{bottom}");
        }
        let number = time as f64 / 1000.0;
        let unit = if time == 0 { " ms" } else { "" };
        let _ = write!(numbers, "<text x=\"{x}\">{number}{unit}</text>");
    }
    format!(
        "<path class=\"grid\" d=\"{grid}\"/>\
         <g class=\"ticks soft\" text-anchor=\"middle\" transform=\"translate(0 {})\">{numbers}</g>",
        lines.bottom + sheet.text
    )
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::report::{
        replay::picture::Kind,
        testing::{both_sizes, has, is_in_the_theme, lacks},
    };

    #[test]
    fn both_sizes_are_well_formed_and_have_every_row_and_every_kind() {
        let picture = Picture::of(&recording());
        let rows: usize = picture.groups.iter().map(|group| group.rows.len()).sum();
        let drawn = draw("replay", "A <title>", "Some \"words\" & more", &picture);
        is_in_the_theme(&drawn);
        both_sizes(&drawn, "A <title>", |svg| {
            let number = |name| svg.attribute(name).unwrap().parse::<f64>().unwrap();
            assert!(number("data-left") < number("data-right"));
            assert_eq!(svg.attribute("data-rows").unwrap().split(' ').count(), rows);
            let paths = svg.children().filter(|node| node.has_tag_name("path"));
            let classes: Vec<_> = paths.filter_map(|node| node.attribute("class")).collect();
            assert_eq!(classes[1..], Kind::ALL.map(Kind::class));
        });
    }

    #[test]
    fn a_row_has_its_name_and_a_long_one_is_cut_where_there_is_no_room() {
        let mut recording = recording();
        recording.threads[0].name = "async-std/runtime 1".to_owned();
        let svg = draw("replay", "", "", &Picture::of(&recording));
        has(&svg, &[">worker 2<", ">CPU 0<", ">client 2<"]);
        let [wide, narrow] = svg.split("</svg>").collect::<Vec<_>>()[..2] else { panic!("{svg}") };
        has(wide, &[">async-std/runtime 1<", ">2, 1 of them made for a request<"]);
        has(narrow, &[">runtime 1<"]);
        lacks(narrow, &["async-std"]);
    }

    #[test]
    fn the_axis_has_round_numbers() {
        let steps = [256_563, 1_230_253, 1000, 7].map(|length| step(length, 6));
        assert_eq!(steps, [50_000, 200_000, 200, 2]);
        assert_eq!(step(341_800, 4), 100_000);
    }
}
