//! What a chart is drawn of: texts, lines, bars, whiskers and marks, in pixels of the sheet.

use anyhow::Result;
use plotters::{
    chart::MeshStyle,
    coord::{Shift, ranged1d::Ranged},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::charts::{
    ink::{Ink, Look, stand_in},
    sheet::Sheet,
};

/// A finished drawing, in stand-in colours.
pub struct Drawing {
    pub svg: String,
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
        {
            let backend = SVGBackend::with_string(&mut svg, (sheet.width as u32, height as u32));
            let root = backend.into_drawing_area();
            draw(&Canvas { root: &root, sheet })?;
            root.present()?;
        }
        Ok(Drawing { svg, height })
    }
}

/// Where things are drawn; coordinates are pixels of the sheet.
pub struct Canvas<'a, 'b> {
    pub root: &'a DrawingArea<SVGBackend<'b>, Shift>,
    pub sheet: Sheet,
}

pub type Point = (i32, i32);

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
    /// One line of text, in the middle of its height.
    pub fn text(&self, text: &str, ink: Ink, at: Point, anchor: HPos) -> Result<()> {
        let style = font(self.sheet, ink).pos(Pos::new(anchor, VPos::Center));
        self.root.draw_text(text, &style, at)?;
        Ok(())
    }

    /// A line from point to point.
    pub fn line(&self, points: &[Point], ink: Ink, look: Look, width: u32) -> Result<()> {
        let style = stand_in(ink, look).stroke_width(width);
        self.root.draw(&PathElement::new(points.to_vec(), style))?;
        Ok(())
    }

    /// A rectangle with its outline.
    pub fn bar(&self, from: Point, to: Point, ink: Ink, look: Look) -> Result<()> {
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, look).filled()))?;
        self.root.draw(&Rectangle::new([from, to], stand_in(ink, Look::Plain).stroke_width(1)))?;
        Ok(())
    }

    /// A line from the least to the greatest value with a cap at each end.
    pub fn whisker(&self, from: Point, to: Point, ink: Ink) -> Result<()> {
        let across = if from.1 == to.1 { (0, 4) } else { (4, 0) };
        let cap = |(x, y): Point| [(x - across.0, y - across.1), (x + across.0, y + across.1)];
        // On a ground of its own, so that it can be seen on a hatched bar.
        for (ink, width) in [(Ink::Ground, 4), (ink, 1)] {
            for points in [[from, to], cap(from), cap(to)] {
                self.line(&points, ink, Look::Plain, width)?;
            }
        }
        Ok(())
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

    /// The place that the law predicts on a bar that lies between these heights.
    pub fn law(&self, x: i32, top: i32, bottom: i32) -> Result<()> {
        self.line(&[(x, top), (x, bottom)], Ink::Text, Look::Plain, 2)?;
        for (y, side) in [(top, -1), (bottom, 1)] {
            let arrow = vec![(x, y), (x - 4, y + 5 * side), (x + 4, y + 5 * side)];
            self.root.draw(&Polygon::new(arrow, stand_in(Ink::Text, Look::Plain)))?;
        }
        Ok(())
    }
}

fn font(sheet: Sheet, ink: Ink) -> TextStyle<'static> {
    // plotters divides by this again for SVG.
    let size = f64::from(sheet.text) * 1.24;
    FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal).color(&stand_in(ink, Look::Plain))
}

/// Axes and their lines in stand-in colours, with the name of the horizontal axis.
pub fn styled<'m, 'a, 'b, 'c, X: Ranged, Y: Ranged>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>>,
    name: &str,
    sheet: Sheet,
) -> &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>> {
    mesh.x_desc(name)
        .label_style(font(sheet, Ink::Text))
        .axis_style(stand_in(Ink::Axis, Look::Plain))
        .bold_line_style(stand_in(Ink::Grid, Look::Plain))
        .light_line_style(TRANSPARENT)
}
