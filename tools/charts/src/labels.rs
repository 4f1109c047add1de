//! Draws the labels of lines and of series of dots, each where it has room.

use pictures::{
    canvas::{Canvas, widest, wrap},
    sign,
};
use records::base::significant;

use crate::{
    drawing::{Drawing, Point},
    named::Named,
};

/// The distance of a label from the end of its line, in pixels, from which a thread joins both.
const NEAR: i32 = 6;
/// The greatest width of a label, in pixels. A longer text goes on in another line.
const MOST_WIDE: i32 = 190;
/// The room for a mark, or for a sign, before a name, in pixels.
const ITEM: i32 = 29;

/// What a label names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// A line, at whose end it stands.
    Line,
    /// Dots, of which none is joined to it, so that it shows their mark.
    Dots,
}

/// A label at the end of a line, or beside dots.
#[derive(Clone)]
pub struct Label {
    names: Names,
    named: Named,
    mark: &'static str,
    /// The words, wrapped.
    words: Vec<String>,
    /// The height at which its line ends, or beside which its last dots lie.
    end: i32,
    top: i32,
    height: i32,
}

impl Label {
    /// Makes the label of a line that ends with this value, at this height.
    pub fn of_line(
        named: &Named,
        mark: &'static str,
        value: f64,
        end: i32,
        canvas: Canvas,
    ) -> Label {
        let words = format!("{}: {}", named.words, significant(value));
        Label::of(Names::Line, (named, mark), &words, end, canvas)
    }

    /// Makes the label of dots, of which the last lie at about this height.
    pub fn of_dots(named: &Named, mark: &'static str, end: i32, canvas: Canvas) -> Label {
        Label::of(Names::Dots, (named, mark), &named.words, end, canvas)
    }

    fn of(
        names: Names,
        (named, mark): (&Named, &'static str),
        words: &str,
        end: i32,
        canvas: Canvas,
    ) -> Label {
        let words = wrap(words, MOST_WIDE, canvas);
        let height = words.len() as i32 * canvas.line_height();
        Label { names, named: named.clone(), mark, words, end, top: end - height / 2, height }
    }

    /// Returns the width that it takes behind the end of its line, in pixels.
    pub fn width(&self, canvas: Canvas) -> i32 {
        let sign = if self.named.signed().is_some() { ITEM } else { 0 };
        let mark = if self.names == Names::Dots { ITEM } else { 0 };
        widest(&self.words, canvas) + sign + mark
    }

    /// Draws it from `top` on down; in a list below the chart, which lies further away, with the mark of its line. Beside dots
    /// their mark is always there.
    fn draw(&self, drawing: &mut Drawing, (x, top): Point, in_list: bool, canvas: Canvas) {
        let step = canvas.line_height();
        let mut y = top + step / 2;
        let mut right = x;
        if in_list && self.names == Names::Line {
            drawing.line(&self.named.class("series"), &[(right, y), (right + 20, y)]);
        }
        if in_list || self.names == Names::Dots {
            drawing.mark(&self.named.class("point"), (right + 10, y), self.mark);
            right += ITEM;
        }
        if let Some(server) = self.named.signed() {
            drawing.sign(server, (right + (23 - sign::wide(server)) / 2, y));
            right += ITEM;
        }
        for words in &self.words {
            drawing.text("heading", (right, y), "start", words);
            y += step;
        }
    }
}

/// Moves labels apart, so that none covers another and all lie between these heights.
fn apart(labels: &mut [Label], (top, bottom): (i32, i32)) {
    labels.sort_by_key(|label| label.end);
    let mut free = top;
    for label in labels.iter_mut() {
        label.top = label.top.max(free);
        free = label.top + label.height;
    }
    free = bottom;
    for label in labels.iter_mut().rev() {
        label.top = label.top.min(free - label.height);
        free = label.top;
    }
}

/// Draws labels behind the ends of their lines, which are at `right`, with a thread to a label that had to move.
pub fn behind(
    drawing: &mut Drawing,
    mut labels: Vec<Label>,
    right: i32,
    between: (i32, i32),
    canvas: Canvas,
) {
    apart(&mut labels, between);
    for label in &labels {
        let middle = label.top + label.height / 2;
        if label.names == Names::Line && (middle - label.end).abs() > NEAR {
            drawing.line("axis", &[(right + 8, label.end), (right + 16, middle)]);
        }
        label.draw(drawing, (right + 24, label.top), false, canvas);
    }
}

/// Draws labels as a list from `top` on down, the highest line first, and returns its end.
pub fn list(drawing: &mut Drawing, mut labels: Vec<Label>, top: i32, canvas: Canvas) -> i32 {
    labels.sort_by_key(|label| label.end);
    let mut y = top;
    for label in &labels {
        label.draw(drawing, (6, y), true, canvas);
        y += label.height;
    }
    y
}

#[cfg(test)]
mod tests {
    use pictures::canvas::WIDE;

    use super::*;

    #[test]
    fn no_label_covers_another_or_leaves_the_sheet() {
        let named = Named { words: "a line".to_owned(), server: None, is_shown: true };
        let mut labels =
            [290, 2, 12, 22, 299].map(|end| Label::of_line(&named, "", 1.0, end, WIDE)).to_vec();
        apart(&mut labels, (0, 300));
        let edges: Vec<i32> = labels.iter().flat_map(|it| [it.top, it.top + it.height]).collect();
        assert!(edges.is_sorted(), "{edges:?}");
        assert!(edges[0] >= 0 && edges[edges.len() - 1] <= 300, "{edges:?}");
    }
}
