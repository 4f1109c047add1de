//! The colours and fillings of a chart: stand-ins while plotters draws, the theme's variables at the end.

use std::sync::LazyLock;

use plotters::style::RGBColor;
use records::description::{Experiment, Variant};
use regex::{Captures, Regex};
use servers::{SIGNS, Sign};

/// What a thing is, and so which colour of the theme it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Text,
    Ground,
    Axis,
    Grid,
    /// What belongs to no server.
    Soft,
    /// The colour of a server, by its place in [`SIGNS`].
    Server(usize),
}

impl Ink {
    /// The colour of the server that a variant measures.
    pub fn of(experiment: &Experiment, variant: &Variant) -> Ink {
        let name = variant.own.over(&experiment.common).server;
        let place = SIGNS.iter().position(|(known, _)| Some(*known) == name.as_deref());
        place.map_or(Ink::Soft, Ink::Server)
    }

    /// The sign of the server whose colour it is.
    pub fn server(self) -> Option<Sign<'static>> {
        match self {
            Ink::Server(place) => SIGNS.get(place).map(|(_, sign)| *sign),
            _ => None,
        }
    }

    /// The colour, in the theme's words.
    pub fn colour(self) -> String {
        match self {
            Ink::Text => "currentColor".to_owned(),
            Ink::Ground => "var(--bg)".to_owned(),
            Ink::Axis => "var(--chart-axis)".to_owned(),
            Ink::Grid => "var(--chart-grid)".to_owned(),
            Ink::Soft => "var(--soft)".to_owned(),
            Ink::Server(place) => match SIGNS[place].1.colour {
                Some(colour) => format!("var(--server-{colour})"),
                None => Ink::Soft.colour(),
            },
        }
    }

    /// Its number in a stand-in.
    fn number(self) -> usize {
        match self {
            Ink::Server(place) => INKS.len() + place,
            ink => INKS.iter().position(|known| *known == ink).unwrap_or_default(),
        }
    }

    /// The ink with this number.
    fn numbered(number: usize) -> Ink {
        INKS.get(number).copied().unwrap_or_else(|| Ink::Server(number - INKS.len()))
    }
}

/// How a thing is filled, or its line broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Plain,
    Hollow,
    /// The reader's own.
    Dashed,
    /// What a law predicts.
    Law,
}

/// The inks by their numbers in a stand-in; those of the servers follow.
const INKS: [Ink; 5] = [Ink::Text, Ink::Ground, Ink::Axis, Ink::Grid, Ink::Soft];

/// The colour that stands for these two until [`themed`] replaces it.
pub fn stand_in(ink: Ink, look: Look) -> RGBColor {
    RGBColor(ink.number() as u8, look as u8, 0)
}

static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r##"(fill|stroke)="#([0-9A-F]{2})([0-9A-F]{2})00""##).expect("a correct expression")
});

static FONT_SIZE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"font-size="([0-9.]+)""#).expect("a correct expression"));

/// The drawing in the theme's colours, without the attributes of plotters that change nothing.
pub fn themed(svg: &str) -> String {
    let svg = STAND_IN.replace_all(svg, |found: &Captures| {
        let number = |group: usize| usize::from_str_radix(&found[group], 16).unwrap_or_default();
        let colour = Ink::numbered(number(2)).colour();
        let attribute = &found[1];
        let looks = [Look::Hollow, Look::Dashed, Look::Law];
        match looks.into_iter().find(|look| *look as usize == number(3)) {
            Some(Look::Hollow) => format!(r#"{attribute}="var(--bg)""#),
            Some(Look::Dashed) => format!(r#"{attribute}="{colour}" stroke-dasharray="7 4""#),
            Some(Look::Law) => format!(r#"{attribute}="{colour}" stroke-dasharray="4 3""#),
            Some(Look::Plain) | None => format!(r#"{attribute}="{colour}""#),
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
