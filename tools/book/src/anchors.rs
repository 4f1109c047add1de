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
