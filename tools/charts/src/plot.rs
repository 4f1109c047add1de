//! The area between two axes: where it lies on the canvas, and what lies around it.

use pictures::canvas::{Canvas, NARROW, widest, width};
use records::base::shortest;

use crate::{
    axis::Axis,
    drawing::{Drawing, Point},
    labels::{self, Label},
};

/// The room above the axes, in pixels, for half of the highest tick's text and half of a mark.
const TOP: i32 = 10;
/// The gap between the axes and the labels behind them, in pixels.
const GAP: i32 = 24;

/// The layout of a chart with two axes, in pixels.
pub struct Plot {
    canvas: Canvas,
    left: i32,
    right: i32,
    bottom: i32,
    x_axis: Axis,
    y_axis: Axis,
}

impl Plot {
    /// Lays a chart out, with no room for labels yet.
    pub fn of(canvas: Canvas, x_axis: Axis, y_axis: Axis) -> Plot {
        let left = widest(y_axis.ticks.iter().copied().map(shortest), canvas) + 18;
        let right = canvas.width - GAP;
        let bottom = TOP + canvas.height;
        Plot { canvas, left, right, bottom, x_axis, y_axis }
    }

    /// Makes room for labels behind the axes, where the canvas is wide enough for that, and thins the numbers below them.
    pub fn make_room(&mut self, labels: &[Label]) {
        if self.canvas != NARROW {
            self.right -= labels.iter().map(|label| label.width(self.canvas)).max().unwrap_or(0);
        }
        self.x_axis.thin(self.right - self.left, self.canvas);
    }

    pub fn place(&self, x: f64, y: f64) -> Point {
        let across = self.x_axis.place(x, (self.left, self.right));
        (across, self.y_axis.place(y, (self.bottom, TOP)))
    }

    /// Draws both axes, and this label below the horizontal one.
    pub fn draw_axes(&self, drawing: &mut Drawing, label: Option<&str>) {
        let Plot { canvas, left, right, bottom, .. } = *self;
        let mut grid = String::new();
        for tick in &self.y_axis.ticks {
            let y = self.y_axis.place(*tick, (bottom, TOP));
            grid += &format!("M{left} {y}H{right}");
            drawing.text("soft", (left - 12, y), "end", &shortest(*tick));
        }
        drawing.path("grid", &grid);
        drawing.across(&self.x_axis, (left, right), &[(TOP, bottom)], bottom, canvas);
        if let Some(label) = label {
            let half = width(label, canvas) / 2;
            let middle = ((left + right) / 2).min(canvas.width - half).max(half);
            let at = (middle, bottom + 14 + canvas.line_height());
            drawing.text("soft", at, "middle", label);
        }
    }

    /// Draws the labels: behind the axes, or on a narrow canvas in a list below them.
    pub fn draw_labels(&self, drawing: &mut Drawing, labels: Vec<Label>) {
        let Plot { canvas, right, bottom, .. } = *self;
        drawing.height = bottom + 2 * canvas.line_height() + 6;
        if canvas == NARROW {
            let top = drawing.height + 4;
            drawing.height = labels::list(drawing, labels, top, canvas);
        } else {
            labels::behind(drawing, labels, right, (0, bottom + 6), canvas);
        }
    }
}
