//! Finds the directives in a text.

use std::sync::LazyLock;

use regex::Regex;

/// A directive, which has a `#` and ends on its line.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\{\{[^\S\n]*#[^\S\n]*([A-Za-z0-9_-]*)([^{}\n]*)\}\}";
    Regex::new(pattern).expect("a correct expression")
});

/// The directives that are mdBook's own.
const MDBOOK: [&str; 5] = ["include", "rustdoc_include", "playground", "playpen", "title"];

/// A directive in a text.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    /// The whole of it, braces included.
    pub text: &'a str,
    /// The place of its first byte.
    pub start: usize,
    pub name: &'a str,
    /// The text after the name.
    pub rest: &'a str,
}

impl Found<'_> {
    /// Tells whether mdBook fills it in, and not we.
    pub(crate) fn is_mdbooks(&self) -> bool {
        MDBOOK.contains(&self.name)
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Finds all directives in a text, mdBook's included, but not those behind a backslash.
pub(crate) fn directives(text: &str) -> impl Iterator<Item = Found<'_>> {
    let found = DIRECTIVE.captures_iter(text).map(|found| {
        let [whole, name, rest] =
            [0, 1, 2].map(|index| found.get(index).expect("it always matches"));
        let (text, start) = (whole.as_str(), whole.start());
        Found { text, start, name: name.as_str(), rest: rest.as_str().trim() }
    });
    found.filter(move |found| !text[..found.start].ends_with('\\'))
}
