//! The labels of lines: what each line is, where several are one to the eye, and where a label has room.

use records::base::significant;

use crate::report::{
    charts::{
        drawing::{Drawing, Point},
        named::Named,
        sheet::{NARROW, Sheet, widest, wrap},
    },
    sign,
    text::listed,
};

/// Lines whose ends are nearer to each other than this, in pixels, are one to the eye.
const TOGETHER: i32 = 3;
/// Two lines are one all the way where they are no further apart than a mark is wide.
const MARK: i32 = 6;
/// A label is no wider than this: its text goes on in another line.
const MOST: i32 = 190;
/// Room for a mark, or for a sign, before a name.
const ITEM: i32 = 29;

/// A line, as its label needs it: what it is, its value at the end, and its points from the left.
pub struct End {
    pub named: Named,
    pub mark: &'static str,
    pub value: f64,
    pub points: Vec<Point>,
}

impl End {
    fn last(&self) -> i32 {
        self.points.last().map_or(0, |point| point.1)
    }

    fn coincides(&self, other: &End) -> bool {
        let near = |(a, b): (&Point, &Point)| a.0 == b.0 && (a.1 - b.1).abs() <= MARK;
        self.points.len() == other.points.len() && self.points.iter().zip(&other.points).all(near)
    }
}

/// What stands at the end of one line, or of several that end together.
pub struct Label<'a> {
    ends: Vec<&'a End>,
    /// In lines.
    words: Vec<String>,
    /// Where its lines end.
    end: i32,
    top: i32,
    height: i32,
}

/// The labels of lines, from the highest to the lowest.
pub fn labels(ends: &[End], sheet: Sheet) -> Vec<Label<'_>> {
    let is_named = |end: &&End| !end.named.words.is_empty() && !end.points.is_empty();
    let mut named: Vec<&End> = ends.iter().filter(is_named).collect();
    named.sort_by_key(|end| end.last());
    let mut groups: Vec<Vec<&End>> = Vec::new();
    for end in named {
        match groups.last_mut() {
            Some(group) if end.last() - group[0].last() < TOGETHER => group.push(end),
            _ => groups.push(vec![end]),
        }
    }
    groups.iter().map(|group| Label::of(group, sheet)).collect()
}

impl<'a> Label<'a> {
    fn of(group: &[&'a End], sheet: Sheet) -> Label<'a> {
        let names: Vec<String> = group.iter().map(|end| end.named.words.clone()).collect();
        let alike = group.iter().all(|other| group[0].coincides(other));
        let verb = match group.len() {
            1 => "",
            _ if alike => " coincide",
            _ => " coincide at the end",
        };
        let values = || group.iter().map(|end| end.value);
        let least = significant(values().fold(f64::INFINITY, f64::min));
        let most = significant(values().fold(f64::NEG_INFINITY, f64::max));
        let value = if least == most { least } else { format!("{least} to {most}") };
        let room = if sheet == NARROW { sheet.width - 2 * ITEM - 6 } else { MOST };
        // A name may have a comma in it.
        let has_comma = names.iter().any(|name| name.contains(','));
        let names = if has_comma { names.join("; ") } else { listed(&names) };
        let words = wrap(&format!("{names}{verb}: {value}"), room, sheet);
        let end = group.iter().map(|end| end.last()).sum::<i32>() / group.len() as i32;
        let mut label = Label { ends: group.to_vec(), words, end, top: 0, height: 0 };
        let rows = label.words.len() + usize::from(label.has_row_of_signs(sheet));
        label.height = rows as i32 * sheet.line_height();
        label.top = end - label.height / 2;
        label
    }

    fn has_sign(&self) -> bool {
        self.ends.iter().any(|end| end.named.server.is_some())
    }

    /// The signs of several stand above their words, and those of a list have the marks of their lines there.
    fn has_row_of_signs(&self, sheet: Sheet) -> bool {
        self.ends.len() > 1 && (self.has_sign() || sheet == NARROW)
    }

    /// How much room it takes behind the ends of lines.
    pub fn width(&self, sheet: Sheet) -> i32 {
        let signs = if self.has_sign() { ITEM * self.ends.len() as i32 } else { 0 };
        let words = widest(&self.words, sheet);
        if self.ends.len() > 1 { words.max(signs) } else { words + signs }
    }

    /// Draws it from `top` on down; in a list below the chart, which lies further away, with the mark of each line.
    fn draw(&self, drawing: &mut Drawing, (x, top): Point, in_list: bool, sheet: Sheet) {
        let step = sheet.line_height();
        let mut y = top + step / 2;
        let mut right = x;
        for End { named, mark, .. } in self.ends.iter().copied() {
            if in_list {
                drawing.line(&named.class("series", false), &[(right, y), (right + 20, y)]);
                drawing.mark(&named.class("point", false), (right + 10, y), mark);
                right += ITEM;
            }
            if let Some(server) = named.server {
                drawing.sign(server, (right + (23 - sign::wide(server)) / 2, y));
            }
            if self.has_sign() {
                right += ITEM;
            }
        }
        if self.ends.len() > 1 {
            // What belongs together.
            drawing.line("axis", &[(x - 5, top + 2), (x - 5, top + self.height - 2)]);
            right = x;
        }
        if self.has_row_of_signs(sheet) {
            y += step;
        }
        for words in &self.words {
            drawing.text("heading", (right, y), "start", words);
            y += step;
        }
    }
}

/// Moves labels apart, so that none covers another and all lie between these heights.
fn apart(labels: &mut [Label], (top, bottom): (i32, i32)) {
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
    sheet: Sheet,
) {
    apart(&mut labels, between);
    for label in &labels {
        let middle = label.top + label.height / 2;
        if (middle - label.end).abs() > MARK {
            drawing.line("axis", &[(right + 8, label.end), (right + 16, middle)]);
        }
        label.draw(drawing, (right + 24, label.top), false, sheet);
    }
}

/// Draws labels as a list from there on down, and tells where it ends.
pub fn list(drawing: &mut Drawing, labels: &[Label], top: i32, sheet: Sheet) -> i32 {
    let mut y = top;
    for label in labels {
        label.draw(drawing, (6, y), true, sheet);
        y += label.height;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::charts::{named::Tone, sheet::WIDE};

    fn end(name: &str, heights: &[i32]) -> End {
        let points = heights.iter().enumerate().map(|(x, y)| (x as i32, *y)).collect();
        let named = Named { words: name.to_owned(), server: None, tone: Tone::Plain };
        End { named, mark: "", value: 1.0, points }
    }

    fn said(ends: &[End]) -> Vec<String> {
        labels(ends, WIDE).iter().map(|label| label.words.join(" ")).collect()
    }

    #[test]
    fn lines_that_lie_on_each_other_have_one_label_that_says_so() {
        let threads = end("threads", &[200, 100, 20]);
        let tasks = end("tasks", &[203, 98, 22]);
        let other = end("others", &[100, 100, 100]);
        assert_eq!(
            said(&[other, threads, tasks]),
            ["threads and tasks coincide: 1.00", "others: 1.00"]
        );
        // Elsewhere they are apart.
        let ends = [end("one", &[200, 20]), end("two", &[100, 20]), end("three", &[90, 23])];
        assert_eq!(said(&ends), ["one and two coincide at the end: 1.00", "three: 1.00"]);
        assert!(said(&[end("", &[1, 2])]).is_empty());
        let ends = ["a, b", "c", "d"].map(|name| end(name, &[20]));
        assert_eq!(said(&ends), ["a, b; c; d coincide: 1.00"]);
        // However they are ordered.
        for (value, other) in [(2.0, 3.0), (3.0, 2.0)] {
            let ends = [End { value, ..end("a", &[20]) }, End { value: other, ..end("b", &[22]) }];
            assert_eq!(said(&ends), ["a and b coincide: 2.00 to 3.00"]);
        }
    }

    #[test]
    fn no_label_covers_another_or_leaves_the_sheet() {
        let ends = [2, 12, 22, 290, 299].map(|y| end("a line", &[y]));
        let mut labels = labels(&ends, WIDE);
        apart(&mut labels, (0, 300));
        let edges: Vec<i32> = labels.iter().flat_map(|it| [it.top, it.top + it.height]).collect();
        assert!(edges.is_sorted(), "{edges:?}");
        assert!(edges[0] >= 0 && edges[edges.len() - 1] <= 300, "{edges:?}");
    }
}
