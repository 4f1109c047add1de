//! The colours and fillings of a chart: stand-ins while plotters draws, the theme's variables at the end.

use std::sync::LazyLock;

use plotters::style::RGBColor;
use regex::{Captures, Regex};

/// What a thing is, and so which colour of the theme it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Text,
    Ground,
    Axis,
    Grid,
    Law,
    /// One of [`SERIES`] colours.
    Series(usize),
}

/// How many colours there are for series; more series begin again, with other marks.
pub const SERIES: usize = 8;

/// The colour of the bars on the reader's machine.
pub const YOURS: Ink = Ink::Series(1);

/// How a thing is filled, or its line broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Plain,
    Tint,
    Hatch,
    Dashed,
    Dotted,
}

/// The colour that stands for these two until [`themed`] replaces it.
pub fn stand_in(ink: Ink, look: Look) -> RGBColor {
    let red = match ink {
        Ink::Text => 1,
        Ink::Ground => 2,
        Ink::Axis => 3,
        Ink::Grid => 4,
        Ink::Law => 5,
        Ink::Series(index) => 16 + (index % SERIES) as u8,
    };
    let green = match look {
        Look::Plain => 0,
        Look::Tint => 1,
        Look::Hatch => 2,
        Look::Dashed => 3,
        Look::Dotted => 4,
    };
    RGBColor(red, green, 0)
}

static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r##"(fill|stroke)="#([0-9A-F]{2})([0-9A-F]{2})00""##).expect("a correct expression")
});

static FONT_SIZE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"font-size="([0-9.]+)""#).expect("a correct expression"));

/// The drawing in the theme's colours, without what plotters writes and nobody needs.
pub fn themed(svg: &str, id: &str) -> String {
    let svg = STAND_IN.replace_all(svg, |found: &Captures| {
        let code = |group: usize| u8::from_str_radix(&found[group], 16).unwrap_or_default();
        let colour = match code(2) {
            1 => "currentColor".to_owned(),
            2 => "var(--bg)".to_owned(),
            3 => "var(--chart-axis)".to_owned(),
            4 => "var(--chart-grid)".to_owned(),
            5 => "var(--chart-law)".to_owned(),
            code => format!("var(--chart-{})", code.saturating_sub(15)),
        };
        let attribute = &found[1];
        match code(3) {
            1 => format!(r#"{attribute}="{colour}" {attribute}-opacity="0.45""#),
            2 => format!(r#"{attribute}="url(#{id}-hatch)""#),
            3 => format!(r#"{attribute}="{colour}" stroke-dasharray="7 4""#),
            4 => format!(r#"{attribute}="{colour}" stroke-dasharray="2 4""#),
            _ => format!(r#"{attribute}="{colour}""#),
        }
    });
    let svg = FONT_SIZE.replace_all(&svg, |found: &Captures| {
        let size: f64 = found[1].parse().unwrap_or_default();
        format!(r#"font-size="{}""#, size.round())
    });
    svg.replace(r#" opacity="1""#, "")
        .replace(r#" font-family="sans-serif""#, "")
        .replace(r#" stroke="none""#, "")
        .replace('\n', "")
}
