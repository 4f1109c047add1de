//! The labels of lines: what each line is, where several are one to the eye, and where a label has room.

use crate::report::{
    charts::{
        drawing::{Drawing, Point},
        named::Named,
        sheet::{Sheet, width, wrap},
    },
    sign,
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
    pub value: String,
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

/// A row of a label. A name may take several, and its line is with the first; the words on several lines have none.
struct Row<'a> {
    end: Option<&'a End>,
    words: String,
    is_name: bool,
}

/// What stands at the end of one line, or of several that end together.
pub struct Label<'a> {
    rows: Vec<Row<'a>>,
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
        let mut rows = Vec::new();
        for &end in group {
            let words = wrap(&format!("{}: {}", end.named.words, end.value), MOST, sheet);
            let row =
                |(index, words)| Row { end: (index == 0).then_some(end), words, is_name: true };
            rows.extend(words.into_iter().enumerate().map(row));
        }
        if group.len() > 1 {
            let who =
                if group.len() == 2 { "both".to_owned() } else { format!("all {}", group.len()) };
            let alike = group.iter().all(|other| group[0].coincides(other));
            let at = if alike { "" } else { " at the end" };
            let words = format!("{who} coincide{at}");
            rows.push(Row { end: None, words, is_name: false });
        }
        let end = group.iter().map(|end| end.last()).sum::<i32>() / group.len() as i32;
        let height = rows.len() as i32 * sheet.line_height();
        Label { rows, end, top: end - height / 2, height }
    }

    fn has_sign(&self) -> bool {
        self.rows.iter().filter_map(|row| row.end).any(|end| end.named.server.is_some())
    }

    /// How much room it takes behind the ends of lines.
    pub fn width(&self, sheet: Sheet) -> i32 {
        let words = self.rows.iter().map(|row| width(&row.words, sheet)).max().unwrap_or(0);
        words + if self.has_sign() { ITEM } else { 0 }
    }

    /// Draws its rows from `top` on down; in a list below the chart, which lies further away, with the mark of each line.
    fn draw(&self, drawing: &mut Drawing, (x, top): Point, in_list: bool, sheet: Sheet) {
        let signs = x + if in_list { ITEM } else { 0 };
        let words = signs + if self.has_sign() { ITEM } else { 0 };
        let step = sheet.line_height();
        if !self.rows.iter().all(|row| row.is_name) {
            // What belongs together.
            drawing.line("axis", &[(x - 5, top + 2), (x - 5, top + self.height - 2)]);
        }
        let mut y = top + step / 2;
        for row in &self.rows {
            if let Some(End { named, mark, .. }) = row.end {
                if in_list {
                    drawing.line(&named.class("series", false), &[(x, y), (x + 20, y)]);
                    drawing.mark(&named.class("point", false), (x + 10, y), mark);
                }
                if let Some(server) = named.server {
                    drawing.sign(server, (signs + (23 - sign::wide(server)) / 2, y));
                }
            }
            let class = if row.is_name { "heading" } else { "soft" };
            drawing.text(class, (words, y), "start", &row.words);
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
        End { named, mark: "", value: "1".to_owned(), points }
    }

    fn said(ends: &[End]) -> Vec<String> {
        let words = |label: &Label| -> Vec<String> {
            label.rows.iter().map(|row| row.words.clone()).collect()
        };
        labels(ends, WIDE).iter().map(|label| words(label).join(", ")).collect()
    }

    #[test]
    fn lines_that_lie_on_each_other_have_one_label_that_says_so() {
        let threads = end("threads", &[200, 100, 20]);
        let tasks = end("tasks", &[203, 98, 22]);
        let other = end("others", &[100, 100, 100]);
        assert_eq!(
            said(&[other, threads, tasks]),
            ["threads: 1, tasks: 1, both coincide", "others: 1"]
        );
        // Elsewhere they are apart.
        let ends = [end("one", &[200, 20]), end("two", &[100, 20]), end("three", &[90, 23])];
        assert_eq!(said(&ends), ["one: 1, two: 1, both coincide at the end", "three: 1"]);
        assert!(said(&[end("", &[1, 2])]).is_empty());
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
