//! Words that say what figures say: they are bound to the figures by a claim, or they are not on a page.

use std::{path::Path, sync::LazyLock};

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
    let code = fences(text);
    let is_unbound = |start: usize| {
        let holds = |range: &std::ops::Range<usize>| range.contains(&start);
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

/// Where the fenced blocks of a page are, in bytes.
fn fences(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut fences = Vec::new();
    let (mut open, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            match open.take() {
                None => open = Some(at),
                Some(start) => fences.push(start..at + line.len()),
            }
        }
        at += line.len();
    }
    fences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_figures_are_bound() {
        let text =
            "{{#claim a \"much the same\"}}\n```text\nno difference\n```\nWithin a few percent.\nNearly all.\n";
        let found: Vec<String> =
            check_words(Path::new("a.md"), text).iter().map(ToString::to_string).collect();
        assert!(found[0].starts_with("a.md:5: “Within a few percent” says"), "{found:?}");
        assert!(found[1].starts_with("a.md:6: “Nearly all” says") && found.len() == 2, "{found:?}");
    }
}
