//! mdBook's anchor comments, `// ANCHOR: name` to `// ANCHOR_END: name`, between which an include takes a part.

use std::sync::LazyLock;

use regex::Regex;

static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    // In the comments of Rust, JavaScript, CSS, HTML and of files with # comments.
    Regex::new(r"(?m)^[ \t]*(?://|#|/\*|<!--)[ \t]*ANCHOR(?:_END)?:[ \t]*[\w-]+[ \t]*(?:\*/|-->)?[ \t]*(?:\n|\z)")
        .expect("a correct expression")
});

/// The text without the comment lines that only mark an anchor.
pub(crate) fn without_anchors(text: &str) -> String {
    ANCHOR.replace_all(text, "").into_owned()
}

/// How often an anchor of this name begins in a text, and how often it ends.
pub(crate) fn count(text: &str, anchor: &str) -> (usize, usize) {
    let count = |mark: &str| {
        // As mdBook sees it: the mark, white space, and the whole name.
        let after = text.lines().filter_map(|line| line.split_once(mark));
        let names = after.map(|(_, rest)| rest.trim_start());
        let is_name = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
        names.filter(|rest| rest.split(|letter| !is_name(letter)).next() == Some(anchor)).count()
    };
    (count("ANCHOR:"), count("ANCHOR_END:"))
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
}
