//! The labels at the ends of lines: what each line is, where several coincide, and where a label has room.

use anyhow::Result;
use servers::Sign;

use crate::{
    charts::{
        canvas::{Canvas, Ink, Look, Point},
        sheet::{Sheet, widest, wrap},
    },
    sign,
    text::listed,
};

/// Lines that are nearer to each other than this, in pixels, are one to the eye: a mark is larger.
const TOGETHER: i32 = 6;
/// A label is no wider than this: its text goes on in another line.
const MOST: i32 = 170;

/// What it costs, in pixels of distance, that a label covers a mark, covers a line, or lies on the other side of its
/// line's end.
const COSTS: [i32; 3] = [40, 10, 3];

/// What is drawn between the axes: a line between two points, or a mark, which ends where it begins. From its middle
/// it reaches so far.
pub struct Drawn {
    pub from: Point,
    pub to: Point,
    pub half: i32,
}

/// A line through these points, from the left, with a mark at each that reaches so far from its middle.
pub fn path(points: &[Point], half: i32) -> Vec<Drawn> {
    let marks = points.iter().map(|&at| Drawn { from: at, to: at, half });
    let lines = points.windows(2).map(|two| Drawn { from: two[0], to: two[1], half: 1 });
    marks.chain(lines).collect()
}

impl Drawn {
    /// Whether a part of it lies in a box from the left to the right, and from the top to the bottom.
    fn meets(&self, (left, right): (i32, i32), (top, bottom): (i32, i32)) -> bool {
        let Drawn { from, to, half } = *self;
        let (first, last) = (from.0.max(left - half), to.0.min(right + half));
        let at = |x: i32| match to.0 - from.0 {
            0 => from.1,
            wide => from.1 + (to.1 - from.1) * (x - from.0) / wide,
        };
        let (one, other) = (at(first), at(last));
        first <= last && one.min(other) - half < bottom && one.max(other) + half > top
    }
}

/// A line, as its label needs it: its points from the left, each with its place on the horizontal axis and its height,
/// in pixels from the upper edge of the axes.
pub struct End<'a> {
    pub name: &'a str,
    pub ink: Ink,
    pub points: Vec<(f64, i32)>,
    pub law: Vec<(f64, i32)>,
}

impl End<'_> {
    fn last(&self) -> i32 {
        self.points.last().map_or(0, |point| point.1)
    }

    /// Whether it comes to its end from below, or from the side.
    fn rises(&self) -> bool {
        match self.points[..] {
            [.., (_, before), (_, last)] => last <= before,
            _ => true,
        }
    }
}

/// What stands at the end of one line, or of several that end together.
pub struct Label {
    signs: Vec<Sign<'static>>,
    /// The lines that it names by their signs alone.
    pub by_sign: Vec<(Sign<'static>, String)>,
    lines: Vec<String>,
    /// Where its lines end.
    end: i32,
    rises: bool,
    pub width: i32,
    height: i32,
    top: i32,
}

/// Whether two lines have the same places and are together at each.
fn coincide(one: &[(f64, i32)], other: &[(f64, i32)]) -> bool {
    let near = |(a, b): (&(f64, i32), &(f64, i32))| a.0 == b.0 && (a.1 - b.1).abs() <= TOGETHER;
    one.len() == other.len() && one.iter().zip(other).all(near)
}

/// Whether there is a law, and every line is where its law predicts it.
pub fn follow_the_law(ends: &[End]) -> bool {
    let has_law = |end: &&End| !end.law.is_empty();
    let follows = |end: &End| {
        let has_law = |point: &&(f64, i32)| end.law.iter().any(|law| law.0 == point.0);
        let points: Vec<_> = end.points.iter().filter(has_law).copied().collect();
        coincide(&points, &end.law)
    };
    ends.iter().any(|end| has_law(&end)) && ends.iter().filter(has_law).all(follows)
}

/// The labels of lines, from the highest to the lowest. All lines have their last point at one place.
pub fn labels(ends: &[End], sheet: Sheet) -> Vec<Label> {
    let is_named = |end: &&End| !end.name.is_empty() && !end.points.is_empty();
    let mut named: Vec<&End> = ends.iter().filter(is_named).collect();
    named.sort_by_key(|end| end.last());
    let mut groups: Vec<Vec<&End>> = Vec::new();
    for end in named {
        match groups.last_mut() {
            Some(group) if end.last() - group[0].last() <= TOGETHER => group.push(end),
            _ => groups.push(vec![end]),
        }
    }
    groups.iter().map(|group| Label::of(group, sheet)).collect()
}

impl Label {
    fn of(group: &[&End], sheet: Sheet) -> Label {
        let mut signs: Vec<Sign<'static>> = Vec::new();
        for server in group.iter().filter_map(|end| end.ink.server()) {
            if !signs.contains(&server) {
                signs.push(server);
            }
        }
        let names: Vec<String> = group.iter().map(|end| end.name.to_owned()).collect();
        let is_by_sign = group.len() > 1 && signs.len() == group.len();
        let who = match group.len() {
            // A sign for each says as much as the names.
            2 if is_by_sign => "both".to_owned(),
            count if is_by_sign => format!("all {count}"),
            _ => listed(&names),
        };
        let by_sign =
            if is_by_sign { signs.iter().copied().zip(names).collect() } else { Vec::new() };
        let alike = group.iter().all(|other| coincide(&group[0].points, &other.points));
        let text = match group.len() {
            1 => who,
            _ if alike => who + " coincide",
            _ => who + " end together",
        };
        let lines = wrap(&text, MOST, sheet);
        let signs_width: i32 = signs.iter().map(|server| sign::wide(*server) + 6).sum();
        let text_width = widest(&lines, sheet);
        let (width, rows) = match signs.len() {
            0 | 1 => (signs_width + text_width, lines.len()),
            _ => (signs_width.max(text_width), lines.len() + 1),
        };
        let end = group.iter().map(|end| end.last()).sum::<i32>() / group.len() as i32;
        Label {
            signs,
            by_sign,
            lines,
            end,
            rises: group.iter().all(|end| end.rises()),
            width,
            height: rows as i32 * sheet.line_height(),
            top: 0,
        }
    }

    /// The same, so much lower on the sheet.
    pub fn lower(self, down: i32) -> Label {
        Label { end: self.end + down, ..self }
    }

    /// What it costs that its upper edge lies there and its right edge at `right`: how far it is from its line's end,
    /// and what it covers.
    fn cost(&self, top: i32, right: i32, drawn: &[Drawn]) -> i32 {
        let [mark, line, side] = COSTS;
        let (over, under) = (self.end - top - self.height, top - self.end);
        let is_beyond = if self.rises { over < under } else { under < over };
        // Letters are lower than their line.
        let heights = (top + 2, top + self.height - 2);
        let covered = drawn.iter().filter(|it| it.meets((right - self.width, right), heights));
        let covered: i32 = covered.map(|it| if it.half > 1 { mark } else { line }).sum();
        (over.max(under) - TOGETHER).abs() + if is_beyond { side } else { 0 } + covered
    }

    fn draw(&self, canvas: &Canvas, x: i32) {
        let step = canvas.sheet.line_height();
        let mut y = self.top + step / 2;
        let mut from = x;
        for server in &self.signs {
            canvas.sign(*server, (from, y));
            from += sign::wide(*server) + 6;
        }
        if self.signs.len() > 1 {
            (from, y) = (x, y + step);
        }
        for line in &self.lines {
            canvas.words(&[("heading", line.clone())], (from, y));
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
    canvas: &Canvas,
    mut labels: Vec<Label>,
    right: i32,
    between: (i32, i32),
) -> Result<()> {
    for label in &mut labels {
        label.top = label.end - label.height / 2;
    }
    apart(&mut labels, between);
    for label in &labels {
        let middle = label.top + label.height / 2;
        if (middle - label.end).abs() > TOGETHER {
            let thread: [Point; 2] = [(right + 7, label.end), (right + 14, middle)];
            canvas.line(&thread, Ink::Axis, Look::Plain, 1)?;
        }
        label.draw(canvas, right + 16);
    }
    Ok(())
}

/// Gives labels whose right edge is at `right` the heights between these that cost least together: none covers another,
/// and they keep the order of their ends.
fn settle(labels: &mut [Label], right: i32, (top, bottom): (i32, i32), drawn: &[Drawn]) {
    let all: i32 = labels.iter().map(|label| label.height).sum();
    if all > bottom - top {
        return apart(labels, (top, bottom));
    }
    // For each label, and each height: what it costs with those above it if it lies there or higher, and where it lies.
    let mut best: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut above = 0;
    for (index, label) in labels.iter().enumerate() {
        let mut least: Vec<(i32, i32)> = Vec::new();
        for (step, at) in (top + above..=bottom - label.height).enumerate() {
            let others = index.checked_sub(1).map_or(0, |before| {
                let costs = &best[before];
                costs[step.min(costs.len() - 1)].0
            });
            let cost = others + label.cost(at, right, drawn);
            let before = least.last().copied().filter(|before| before.0 <= cost);
            least.push(before.unwrap_or((cost, at)));
        }
        best.push(least);
        above += label.height;
    }
    let mut free = bottom;
    for (label, costs) in labels.iter_mut().zip(&best).rev() {
        above -= label.height;
        let step = (free - label.height - top - above) as usize;
        label.top = costs[step.min(costs.len() - 1)].1;
        free = label.top;
    }
}

/// Draws labels at the ends of their lines, which are at `right`, between the axes: above or below them, where least is
/// covered of what is drawn there. A thread leads to a label that is far away.
pub fn between(
    canvas: &Canvas,
    mut labels: Vec<Label>,
    right: i32,
    heights: (i32, i32),
    drawn: &[Drawn],
) -> Result<()> {
    let edge = right + TOGETHER;
    settle(&mut labels, edge, heights, drawn);
    for label in &labels {
        let bottom = label.top + label.height;
        let (over, under) = (label.end - bottom, label.top - label.end);
        if over.max(under) > 3 * TOGETHER {
            let thread = match over > under {
                true => [(right, bottom), (right, label.end - TOGETHER)],
                false => [(right, label.end + TOGETHER), (right, label.top)],
            };
            canvas.line(&thread, Ink::Axis, Look::Plain, 1)?;
        }
        label.draw(canvas, edge - label.width);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use servers::SIGNS;

    use super::*;
    use crate::charts::sheet::{NARROW, WIDE};

    fn end<'a>(name: &'a str, server: Option<&str>, heights: &[i32]) -> End<'a> {
        let place = |name: &str| SIGNS.iter().position(|it| it.0 == name).expect("a server");
        let ink = server.map_or(Ink::Soft, |name| Ink::Server(place(name)));
        let points = heights.iter().enumerate().map(|(x, y)| (x as f64, *y)).collect();
        End { name, ink, points, law: Vec::new() }
    }

    fn said(ends: &[End]) -> Vec<String> {
        labels(ends, WIDE).iter().map(|label| label.lines.join(" ")).collect()
    }

    /// Fails unless each label lies below the one before it, and all lie on the sheet.
    fn are_apart(labels: &[Label], bottom: i32) {
        let edges: Vec<i32> = labels.iter().flat_map(|it| [it.top, it.top + it.height]).collect();
        assert!(edges.is_sorted(), "{edges:?}");
        assert!(edges[0] >= 0 && edges[edges.len() - 1] <= bottom, "{edges:?}");
    }

    #[test]
    fn lines_that_lie_on_each_other_have_one_label_that_says_so() {
        let threads = end("threads", None, &[200, 100, 20]);
        let tasks = end("tasks", None, &[203, 98, 22]);
        let other = end("others", None, &[100, 100, 100]);
        assert_eq!(said(&[other, threads, tasks]), ["threads and tasks coincide", "others"]);
        // Elsewhere they are apart.
        let (one, two) = (end("one", None, &[200, 20]), end("two", None, &[100, 20]));
        assert_eq!(said(&[one, two]), ["one and two end together"]);
        assert!(said(&[end("", None, &[1, 2])]).is_empty());
        // Signs stand for names where each line has its own.
        let tasks = |name| end("a task each", Some(name), &[90, 40]);
        let all = ["ch04_smol", "ch04_async_std", "ch06_tokio"].map(tasks);
        let pool = |name| end(name, Some("ch03_threadpool"), &[9, 9]);
        let pools = ["pool of 8", "pool of 9"].map(pool);
        for (ends, words, signs) in
            [(&all[..], "all 3 coincide", 3), (&pools[..], "pool of 8 and pool of 9 coincide", 1)]
        {
            assert_eq!(said(ends), [words]);
            assert_eq!(labels(ends, WIDE)[0].signs.len(), signs);
        }
    }

    #[test]
    fn no_label_covers_another_or_leaves_the_sheet() {
        let ends = [2, 12, 22, 290, 299].map(|y| end("a line", None, &[y]));
        let mut labels = labels(&ends, WIDE);
        for label in &mut labels {
            label.top = label.end - label.height / 2;
        }
        apart(&mut labels, (0, 300));
        are_apart(&labels, 300);
    }

    #[test]
    fn a_label_between_the_axes_covers_no_mark_if_there_is_room() {
        let settled = |names: &[&str], heights: &[i32], drawn: &[Drawn]| {
            let ends: Vec<End> =
                names.iter().zip(heights).map(|(name, y)| end(name, None, &[*y])).collect();
            let mut labels = labels(&ends, NARROW);
            settle(&mut labels, 300, (0, 240), drawn);
            labels
        };
        let alone = &settled(&["a line"], &[100], &[])[0];
        assert_eq!(alone.top + alone.height, 100 - TOGETHER);
        // The law's diamonds, and a line that comes down to them, take its place.
        let law = path(&[(200, 20), (270, alone.top + 9), (294, 80)], 8);
        let Label { top, width, height, .. } = settled(&["a line"], &[100], &law)[0];
        let (wide, high) = ((300 - width, 300), (top + 2, top + height - 2));
        assert!(!law.iter().any(|it| it.meets(wide, high)), "at {top}");
        assert!((top - 100).abs() <= 2 * TOGETHER, "at {top}");
        // Several keep their order, and none covers another.
        let names = ["one", "two", "three", "four"];
        let all = settled(&names, &[90, 97, 104, 239], &law);
        are_apart(&all, 240);
        assert!(all.iter().map(|label| label.lines.join(" ")).eq(names));
        // More than there is room for still have a place each.
        let names = ["a line with a long name that goes on in the next lines of the sheet"; 6];
        let many = settled(&names, &[10, 30, 50, 70, 90, 110], &[]);
        assert!(many.windows(2).all(|two| two[0].top + two[0].height <= two[1].top));
    }

    #[test]
    fn a_law_is_followed_where_each_line_lies_on_its_own() {
        let with_law = |heights: &[i32], law: &[(f64, i32)]| End {
            law: law.to_vec(),
            ..end("a", None, heights)
        };
        let near = with_law(&[100, 50, 20], &[(0.0, 97), (1.0, 52)]);
        let far = with_law(&[100, 50], &[(0.0, 97), (1.0, 80)]);
        let without = || end("b", None, &[1, 2]);
        assert!(follow_the_law(&[near, without()]));
        assert!(!follow_the_law(&[far]) && !follow_the_law(&[without()]));
    }
}
