//! The language of the pages: patterns of wording that a reader stumbles over, counted.

use ladder_tests::none;
use regex::Regex;

use super::{
    page::pages,
    repository::{read, root},
};

/// A pattern of `language.txt`.
struct Pattern {
    /// The most places that may have it.
    most: usize,
    /// What to write instead.
    advice: String,
    /// What it looks like, within one line.
    regex: Regex,
}

/// The patterns, in the order of the file.
#[track_caller]
fn patterns() -> Vec<Pattern> {
    let columns = Regex::new(r"^(\d+) +(\S.*?)  +(\S.*)$").expect("it is a pattern");
    let text = read(root().join("tests/book/language.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let found =
                columns.captures(line).unwrap_or_else(|| panic!("not three columns: {line}"));
            Pattern {
                most: found[1].parse().expect("it is digits"),
                advice: found[2].to_owned(),
                regex: Regex::new(&found[3]).unwrap_or_else(|error| panic!("{line}: {error}")),
            }
        })
        .collect()
}

/// The places that a pattern has in the pages, as `book/page.md:12: the words`.
fn places(pattern: &Pattern) -> Vec<String> {
    let mut places = Vec::new();
    for page in pages() {
        for (number, line) in page.text.lines().enumerate() {
            let found = pattern.regex.find_iter(line);
            places.extend(
                found.map(|words| format!("{}: {}", page.at(number + 1), words.as_str().trim())),
            );
        }
    }
    places
}

#[test]
fn language_avoids_what_readers_stumble_over() {
    let mut complaints = Vec::new();
    for pattern in patterns() {
        let places = places(&pattern);
        println!(
            "{:>4} of {:>3}  {:<44}  {}",
            places.len(),
            pattern.most,
            pattern.advice,
            pattern.regex
        );
        if places.len() > pattern.most {
            complaints.push(format!(
                "{} has {} places, and may have {} (write: {}):\n  {}",
                pattern.regex,
                places.len(),
                pattern.most,
                pattern.advice,
                places.join("\n  ")
            ));
        }
    }
    none(complaints);
}
