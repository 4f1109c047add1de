//! mdBook's anchor comments, `// ANCHOR: name` to `// ANCHOR_END: name`, between which an include takes a part.

use std::sync::LazyLock;

use regex::Regex;

static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    // In the comments of Rust, JavaScript, CSS, HTML and of files with # comments.
    Regex::new(r"(?m)^[ \t]*(?://|#|/\*|<!--)[ \t]*ANCHOR(?:_END)?:[ \t]*[\w-]+[ \t]*(?:\*/|-->)?[ \t]*(?:\n|\z)")
        .expect("a correct expression")
});

/// Removes the comment lines that only mark an anchor.
pub fn without_anchors(text: &str) -> String {
    ANCHOR.replace_all(text, "").into_owned()
}

/// Returns the lines of a text between the comments that mark this anchor, without such comments. `None` if it has no
/// such anchor.
pub fn part(text: &str, anchor: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !marks(line, "ANCHOR:", anchor));
    lines.next()?;
    let part: Vec<&str> = lines.take_while(|line| !marks(line, "ANCHOR_END:", anchor)).collect();
    Some(without_anchors(&(part.join("\n") + "\n")))
}

/// Tells whether a line has this mark, and behind it the name of this anchor.
fn marks(line: &str, mark: &str, anchor: &str) -> bool {
    let Some((_, name)) = line.split_once(mark) else { return false };
    name.trim().split([' ', '*', '-']).next() == Some(anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchor_lines_vanish_and_nothing_else() {
        let text = "// ANCHOR: a\nlet x = 1; // ANCHOR: b\n    // ANCHOR_END: a\n# ANCHOR: c\n<!-- ANCHOR: d -->\n/* ANCHOR: e */";
        assert_eq!(without_anchors(text), "let x = 1; // ANCHOR: b\n");
        assert_eq!(without_anchors("An ANCHOR: is a line.\n"), "An ANCHOR: is a line.\n");
    }

    #[test]
    fn a_part_is_what_stands_between_its_marks() {
        let text =
            "// ANCHOR: a\none\n// ANCHOR: b\ntwo\n// ANCHOR_END: a\nthree\n// ANCHOR_END: b\n";
        assert_eq!(part(text, "a").as_deref(), Some("one\ntwo\n"));
        assert_eq!(part(text, "b").as_deref(), Some("two\nthree\n"));
        assert_eq!(part(text, "c"), None);
    }
}
