//! Words that say what figures say: they are bound to the figures by a claim, or they are not on a page.

use std::{ops::Range, path::Path, sync::LazyLock};

use pulldown_cmark::{Event, Parser, Tag};
use regex::{Match, Regex};

use crate::{problem::Problem, scan::directives};

/// Such words. Each once stood in a sentence that its own figures contradicted.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let words = "within a few (?:percent|%)|much the same|nearly all|the two differ|no difference\
        |processors? of (?:its|their) own";
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).expect("it is a pattern")
});

/// The places in a page's prose where such words stand unbound.
pub(super) fn check_words(file: &Path, text: &str) -> Vec<Problem> {
    let bound: Vec<_> = directives(text).map(|found| found.start..found.end()).collect();
    let code: Vec<_> = code(text).collect();
    let is_unbound = |start: usize| {
        let holds = |range: &Range<usize>| range.contains(&start);
        !bound.iter().any(holds) && !code.iter().any(holds)
    };
    let found = WORDS.find_iter(text).filter(|found| is_unbound(found.start()));
    let problem = |found: Match| {
        let message = format!(
            "“{words}” says what figures say: write {{{{#claim ID \"{words}\"}}}}, with the condition in \
             book/claims, or say it in other words",
            words = found.as_str()
        );
        Problem::at(file, text, found.start(), message)
    };
    found.map(problem).collect()
}

/// Where the blocks of code of a page are, in bytes.
fn code(text: &str) -> impl Iterator<Item = Range<usize>> {
    let events = Parser::new(text).into_offset_iter();
    events
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))))
        .map(|found| found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_figures_are_bound() {
        let complaints = |text: &str| -> Vec<String> {
            check_words(Path::new("a.md"), text).iter().map(ToString::to_string).collect()
        };
        for sentence in [
            "One name alone stayed within a few percent here.",
            "Server and generator have processors of their own.",
            "With 4 the two differ.",
            "Nearly all of them wait.",
        ] {
            assert_eq!(complaints(&format!("# A\n\n{sentence}\n")).len(), 1, "{sentence}");
        }
        let bound = "{{#claim a \"much the same\"}}\n```text\nno difference\n```\n";
        let found = complaints(&format!("{bound}Within a few percent.\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.md:5: “Within a few percent” says"), "{found:?}");
    }
}
