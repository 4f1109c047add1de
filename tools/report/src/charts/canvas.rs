//! What a chart is drawn of: texts, lines, bars, intervals and marks, in pixels of the sheet; and its colours: stand-ins
//! while plotters draws, the theme's variables at the end.

use std::{cell::RefCell, fmt::Write, sync::LazyLock};

use anyhow::Result;
use plotters::{
    chart::MeshStyle,
    coord::{Shift, ranged1d::Ranged},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use records::description::{Experiment, Variant};
use regex::{Captures, Regex};
use servers::{SIGNS, Sign};

use crate::{
    charts::sheet::Sheet,
    sign::{self, mark},
    text::escape,
};

/// A finished drawing: what is in its element, and how high it is.
pub struct Drawing {
    pub body: String,
    pub height: i32,
}

impl Drawing {
    /// What `draw` puts on a sheet of this height.
    pub fn of(
        sheet: Sheet,
        height: i32,
        draw: impl FnOnce(&Canvas) -> Result<()>,
    ) -> Result<Drawing> {
        let mut svg = String::new();
        let above = {
            let backend = SVGBackend::with_string(&mut svg, (sheet.width as u32, height as u32));
            let root = backend.into_drawing_area();
            let canvas = Canvas { root: &root, sheet, above: RefCell::default() };
            draw(&canvas)?;
            root.present()?;
            canvas.above.into_inner()
        };
        let body = svg.split_once('>').map_or("", |(_, body)| body);
        let body = body.rsplit_once("</svg>").map_or(body, |(body, _)| body);
        Ok(Drawing { body: themed(body) + &above, height })
    }
}

/// Where things are drawn; coordinates are pixels of the sheet.
pub struct Canvas<'a, 'b> {
    pub root: &'a DrawingArea<SVGBackend<'b>, Shift>,
    pub sheet: Sheet,
    /// What lies above all that plotters draws: marks that the style sheet knows by their class.
    above: RefCell<String>,
}

pub type Point = (i32, i32);

/// From the middle of a law's diamond to its corners: alone, and around a point that may lie on it.
pub const LAW: (i32, i32) = (5, 8);
/// From the middle of a mark to what is farthest from it.
pub const MARK: i32 = 6;

/// The outlines of the marks, around the point that they mark: series differ by more than their colour. With more
/// series they begin again.
const MARKS: [&[Point]; 8] = [
    &[(-5, -2), (-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (5, 4), (-5, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (5, -4), (-5, -4)],
    &[(-2, -5), (2, -5), (2, 5), (-2, 5)],
    &[(-6, -2), (6, -2), (6, 2), (-6, 2)],
    &[(-5, -5), (0, -2), (5, -5), (2, 0), (5, 5), (0, 2), (-5, 5), (-2, 0)],
];

impl Canvas<'_, '_> {
    pub fn text(&self, text: &str, ink: Ink, at: Point, anchor: HPos) -> Result<()> {
        let style = font(self.sheet, ink).pos(Pos::new(anchor, VPos::Center));
        self.root.draw_text(text, &style, at)?;
        Ok(())
    }

    pub fn line(&self, points: &[Point], ink: Ink, look: Look, width: u32) -> Result<()> {
        let style = stand_in(ink, look).stroke_width(width);
        self.root.draw(&PathElement::new(points.to_vec(), style))?;
        Ok(())
    }

    pub fn bar(&self, from: Point, to: Point, ink: Ink, look: Look) -> Result<()> {
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, look).filled()))?;
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, Look::Plain).stroke_width(1)))?;
        Ok(())
    }

    pub fn interval(&self, from: Point, to: Point) -> Result<()> {
        if from == to { Ok(()) } else { self.line(&[from, to], Ink::Text, Look::Plain, 2) }
    }

    /// The mark of the series with this number.
    pub fn mark(&self, (x, y): Point, series: usize, ink: Ink, hollow: bool) -> Result<()> {
        let shape: Vec<Point> =
            MARKS[series % MARKS.len()].iter().map(|(right, down)| (x + right, y + down)).collect();
        let inside = if hollow { Ink::Ground } else { ink };
        let mut outline = shape.clone();
        outline.extend(shape.first());
        self.root.draw(&Polygon::new(shape, stand_in(inside, Look::Plain)))?;
        self.line(&outline, ink, Look::Plain, 1)
    }

    /// What a law predicts: a diamond on a bar, or around a point.
    pub fn law(&self, (x, y): Point, around: bool) {
        let (class, half) = if around { ("law around", LAW.1) } else { ("law", LAW.0) };
        let top = y - half;
        let _ = write!(
            self.above.borrow_mut(),
            "<path class=\"{class}\" d=\"M{x} {top}l{half} {half}-{half} {half}-{half}-{half}z\"/>"
        );
    }

    /// The sign of a server, with the middle of its left edge there.
    pub fn sign(&self, server: Sign, (x, y): Point) {
        self.above.borrow_mut().push_str(&mark(server, (x, y - sign::HIGH / 2)));
    }

    /// A line of text from there on, in the middle of its height; each part has a class of the style sheet.
    pub fn words(&self, parts: &[(&str, String)], (x, y): Point) {
        let mut above = self.above.borrow_mut();
        let _ = write!(above, "<text x=\"{x}\" y=\"{}\">", y + 5);
        for (class, text) in parts {
            let _ = write!(above, "<tspan class=\"{class}\">{}</tspan>", escape(text));
        }
        above.push_str("</text>");
    }
}

fn font(sheet: Sheet, ink: Ink) -> TextStyle<'static> {
    // plotters divides by this again for SVG.
    let size = f64::from(sheet.text) * 1.24;
    FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal).color(&stand_in(ink, Look::Plain))
}

/// Axes and their lines in stand-in colours, with the name of the horizontal axis, if it has one.
pub fn styled<'m, 'a, 'b, 'c, X: Ranged, Y: Ranged>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>>,
    name: Option<&str>,
    sheet: Sheet,
) -> &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>> {
    if let Some(name) = name {
        mesh.x_desc(name);
    }
    mesh.label_style(font(sheet, Ink::Text))
        .axis_style(stand_in(Ink::Axis, Look::Plain))
        .bold_line_style(stand_in(Ink::Grid, Look::Plain))
        .light_line_style(TRANSPARENT)
}

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

    pub fn server(self) -> Option<Sign<'static>> {
        match self {
            Ink::Server(place) => SIGNS.get(place).map(|(_, sign)| *sign),
            _ => None,
        }
    }

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

    fn number(self) -> usize {
        match self {
            Ink::Server(place) => INKS.len() + place,
            ink => INKS.iter().position(|known| *known == ink).unwrap_or_default(),
        }
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
        let ink = number(2);
        let ink = INKS.get(ink).copied().unwrap_or_else(|| Ink::Server(ink - INKS.len()));
        let colour = ink.colour();
        let (colour, dashes) = match number(3) {
            look if look == Look::Hollow as usize => (Ink::Ground.colour(), ""),
            look if look == Look::Dashed as usize => (colour, r#" stroke-dasharray="7 4""#),
            look if look == Look::Law as usize => (colour, r#" stroke-dasharray="4 3""#),
            _ => (colour, ""),
        };
        format!(r#"{}="{colour}"{dashes}"#, &found[1])
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
