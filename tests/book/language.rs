//! The language of the book: patterns of wording that a reader stumbles over, counted in the pages' sources, and in
//! every other word that a reader sees.

use ladder_tests::none;
use regex::Regex;

use super::{
    page::pages,
    repository::{read, root},
    words_elsewhere::{Lines, words_elsewhere},
};

/// A pattern of `language.txt`.
struct Pattern {
    /// The most places that may have it in the sources of the pages.
    in_pages: usize,
    /// The most places that may have it elsewhere.
    elsewhere: usize,
    /// What to write instead.
    advice: String,
    /// What it looks like, within one line.
    regex: Regex,
}

/// The patterns, in the order of the file.
#[track_caller]
fn patterns() -> Vec<Pattern> {
    let columns = Regex::new(r"^(\d+) +(\d+) +(\S.*?)  +(\S.*)$").expect("it is a pattern");
    let text = read(root().join("tests/book/language.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let found =
                columns.captures(line).unwrap_or_else(|| panic!("not four columns: {line}"));
            Pattern {
                in_pages: found[1].parse().expect("it is digits"),
                elsewhere: found[2].parse().expect("it is digits"),
                advice: found[3].to_owned(),
                regex: Regex::new(&found[4]).unwrap_or_else(|error| panic!("{line}: {error}")),
            }
        })
        .collect()
}

/// The places that a pattern has in the pages, as `book/page.md:12: the words`.
fn places_in_pages(pattern: &Pattern) -> Vec<String> {
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

/// The places that a pattern has elsewhere, as `examples/load/main.rs:12: the words, in their sentence`.
fn places_in(lines: &Lines, pattern: &Pattern) -> Vec<String> {
    let mut places = Vec::new();
    for (words, place) in lines {
        for found in pattern.regex.find_iter(words) {
            places.push(format!("{place}: {}, in “{words}”", found.as_str().trim()));
        }
    }
    places
}

/// Prints how often each pattern occurs, and complains of those that occur too often.
fn hold(
    patterns: &[Pattern],
    most: impl Fn(&Pattern) -> usize,
    places: impl Fn(&Pattern) -> Vec<String>,
) {
    let mut complaints = Vec::new();
    for pattern in patterns {
        let (places, most) = (places(pattern), most(pattern));
        let Pattern { advice, regex, .. } = pattern;
        println!("{:>4} of {most:>3}  {advice:<44}  {regex}", places.len());
        if places.len() > most {
            complaints.push(format!(
                "{regex} has {} places, and may have {most} (write: {advice}):\n  {}",
                places.len(),
                places.join("\n  ")
            ));
        }
    }
    none(complaints);
}

#[test]
fn language_avoids_what_readers_stumble_over() {
    hold(&patterns(), |pattern| pattern.in_pages, places_in_pages);
}

#[test]
fn language_is_the_same_wherever_a_reader_looks() {
    let patterns = patterns();
    let lines = words_elsewhere(&patterns.iter().map(|it| &it.regex).collect::<Vec<_>>());
    assert!(lines.len() > 3_000, "only {} lines", lines.len());
    hold(&patterns, |pattern| pattern.elsewhere, |pattern| places_in(&lines, pattern));
}
