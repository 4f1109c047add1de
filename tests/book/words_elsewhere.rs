//! The words that a reader sees outside the source of a page: in descriptions, listings, exercises, the lab and the
//! slides, and what the build adds to a page, such as captions and verdicts.
//!
//! Not seen are messages that a program prints, inline code on built pages, and names that records are found by.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::{Captures, Regex};
use toml::Value;

use super::{
    build::BUILT,
    page::pages,
    repository::{files_below, read, root, short},
};

/// Words as they are read in one go, each with the place where it is found first.
pub type Lines = BTreeMap<String, String>;

/// Entries of descriptions that are no words for people: names, what a condition or a command is made of, and what a
/// test says when it fails.
const NO_WORDS: [&str; 7] = ["name", "of", "to", "baseline", "series", "id", "says"];

/// A pattern that is made once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("it is a pattern"));
        &*PATTERN
    }};
}

fn add(lines: &mut Lines, place: &str, words: &str) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if !words.is_empty() {
        lines.entry(words).or_insert_with(|| place.to_owned());
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// The files below these folders whose names end so.
#[track_caller]
fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let all = folders.iter().flat_map(|folder| files_below(&root().join(folder)));
    let found: Vec<PathBuf> = all.filter(|path| has_ending(path, ending)).collect();
    assert!(!found.is_empty(), "no .{ending} below {folders:?}");
    found
}

/// The sentences of a paragraph of comments.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in pattern!(r"[.?!] [A-Z`(]").find_iter(paragraph) {
        sentences.push(&paragraph[start..=end.start()]);
        start = end.start() + 2;
    }
    sentences.push(&paragraph[start..]);
    sentences
}

/// The comments of a source in Rust or TOML.
fn comments(lines: &mut Lines, place: &str, source: &str) {
    let comment = pattern!(r#"^(|[^"]*?\s)(?://[/!]?|#)(?: (.*))?$"#);
    // Lines that are comments alone, as far as they are one paragraph, and where they begin.
    let (mut paragraph, mut start) = (String::new(), 1);
    // An empty line ends the last paragraph.
    for (number, line) in source.lines().chain([""]).enumerate() {
        let found = comment.captures(line);
        let words = found.as_ref().and_then(|found| found.get(2)).map_or("", |it| it.as_str());
        if words.starts_with("ANCHOR") {
            continue;
        }
        if !words.is_empty() && found.is_some_and(|found| found[1].trim().is_empty()) {
            paragraph += &format!(" {words}");
            continue;
        }
        for sentence in sentences(&paragraph) {
            add(lines, &format!("{place}:{start}"), sentence);
        }
        (paragraph, start) = (String::new(), number + 2);
        add(lines, &format!("{place}:{}", number + 1), words);
    }
}

/// The texts of a description.
fn values(lines: &mut Lines, place: &str, key: &str, value: &Value) {
    match value {
        Value::String(text) if !NO_WORDS.contains(&key) && text.contains(' ') => {
            let text = pattern!(r"\{\{.*?\}\}").replace_all(text, "{{}}");
            text.lines().for_each(|line| add(lines, &format!("{place}, {key}"), line));
        }
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| values(lines, place, key, value));
        }
        // An array of words is a command line.
        Value::Array(array) => {
            let tables = array.iter().filter(|value| value.is_table());
            tables.for_each(|value| values(lines, place, key, value));
        }
        _ => {}
    }
}

/// What the strings of a script say.
fn strings(lines: &mut Lines, place: &str, source: &str) {
    let blank = |found: &Captures| "\n".repeat(found[0].matches('\n').count());
    let source = pattern!(r"(?s)/\*.*?\*/").replace_all(source, blank);
    let string = pattern!(r#""((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`"#);
    for (number, line) in source.lines().enumerate() {
        let line = pattern!(r"(^|\s)//.*").replace(line, "");
        for found in string.captures_iter(&line) {
            let words = found.get(1).or(found.get(2)).expect("one of the two").as_str();
            if words.contains(' ') {
                add(lines, &format!("{place}:{}", number + 1), words);
            }
        }
    }
}

/// What a reader sees of a piece of HTML, or hears: no listings, no scripts.
fn visible(html: &str) -> String {
    const INSIDE_A_LINE: [&str; 8] = ["a", "b", "code", "em", "i", "span", "strong", "tspan"];
    const ENTITIES: [(&str, &str); 6] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ];
    let silent = pattern!(
        r"(?s)<!--.*?-->|<pre\b.*?</pre>|<script\b.*?</script>|<style\b.*?</style>|\{\{.*?\}\}"
    );
    let html = silent.replace_all(html, "\n");
    let tag = pattern!(r#"<(/?)([a-zA-Z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>"#);
    let mut heard = String::new();
    let text = tag.replace_all(&html, |found: &Captures| {
        let attribute = pattern!(r#"\b(?:alt|aria-label|title|placeholder)="([^"]*)""#);
        for words in attribute.captures_iter(&found[3]) {
            heard += &format!("\n{}", &words[1]);
        }
        match &found[2] {
            "code" => "`",
            name if INSIDE_A_LINE.contains(&name) => "",
            _ => "\n",
        }
    });
    let text = pattern!(r"`[^`\n]*`").replace_all(&text, "`…`");
    let text = format!("{text}{heard}").replace('’', "'");
    ENTITIES.iter().fold(text, |text, (entity, letter)| text.replace(entity, letter))
}

/// Letters and digits alone, without code, the targets of links and directives: in this a page's source and the page that
/// was built are alike.
fn letters(text: &str) -> String {
    let text = pattern!(r"`[^`\n]*`|\]\([^)]*\)|</?[a-z][^>]*>").replace_all(text, "");
    let text = pattern!(r"\{\{.*?\}\}").replace_all(&text, "\n");
    let kept = text.chars().filter(|letter| letter.is_alphanumeric() || *letter == '\n');
    kept.collect::<String>().to_lowercase()
}

/// The names of all variants: a record is found by them.
fn names(value: &Value) -> Vec<String> {
    let variants = value.get("variants").and_then(Value::as_array).into_iter().flatten();
    variants.filter_map(|variant| Some(variant.get("name")?.as_str()?.to_owned())).collect()
}

/// The lines of the built pages that the sources of the pages don't have, without names that match one of `patterns`.
fn built(lines: &mut Lines, names: &[String], patterns: &[&Regex]) {
    let is_found = |text: &str| patterns.iter().any(|regex| regex.is_match(text));
    let mut names: Vec<&String> =
        names.iter().filter(|name| is_found(&format!(" {name}."))).collect();
    names.sort_by_key(|name| Reverse(name.len()));
    let pages = pages();
    let sources: String = pages.iter().map(|page| letters(&page.text)).collect();
    for page in pages {
        let file = format!("{}.html", page.stem);
        let html = read(BUILT.join(&file));
        let main = html.split_once("<main>").and_then(|(_, main)| main.split_once("</main>"));
        let (main, _) = main.expect("a page has a main part");
        for line in visible(main).lines().filter(|line| is_found(line)) {
            let line = names.iter().fold(line.to_owned(), |line, name| line.replace(*name, "`…`"));
            if patterns.iter().any(|regex| is_added(regex, &line, &sources)) {
                add(lines, &file, &line);
            }
        }
    }
}

/// Whether a pattern has a place in a built line that is in no source of a page: a directive has made it, or the words on
/// both sides of it.
fn is_added(regex: &Regex, line: &str, sources: &str) -> bool {
    const AROUND: usize = 12;
    const ENOUGH: usize = 5;
    regex.find_iter(line).any(|found| {
        let (before, after) = (letters(&line[..found.start()]), letters(&line[found.end()..]));
        let words = letters(found.as_str());
        let skipped = before.chars().count().saturating_sub(AROUND);
        let before: String = before.chars().skip(skipped).collect();
        let after: String = after.chars().take(AROUND).collect();
        let is_known = |side: &str, text: &str| side.len() >= ENOUGH && sources.contains(text);
        !(is_known(&before, &format!("{before}{words}"))
            || is_known(&after, &format!("{words}{after}"))
            || words.len() >= AROUND && sources.contains(&words))
    })
}

/// The words of all descriptions, and the names of their variants.
fn descriptions(lines: &mut Lines) -> Vec<String> {
    let mut of_variants = Vec::new();
    let folders = ["book", "exercises", "measurements/experiments", "measurements/openings"];
    let mut paths = files(&folders, "toml");
    paths.push(root().join("examples/servers.toml"));
    paths.retain(|path| !path.ends_with("Cargo.toml"));
    for path in paths {
        let text = read(&path);
        comments(lines, &short(&path), &text);
        let value = toml::from_str(&text).expect("it is TOML");
        of_variants.extend(names(&value));
        // What is claimed is an expression; its words are on the page.
        if !path.starts_with(root().join("book/claims")) {
            values(lines, &short(&path), "", &value);
        }
    }
    of_variants
}

/// All words that a reader sees elsewhere, for these patterns.
pub fn words_elsewhere(patterns: &[&Regex]) -> Lines {
    let mut lines = Lines::new();
    for path in files(&["examples", "exercises", "live"], "rs") {
        comments(&mut lines, &short(&path), &read(&path));
    }
    for path in files(&["exercises"], "md") {
        let text = read(&path);
        text.lines().for_each(|line| add(&mut lines, &short(&path), line));
    }
    for path in files(&["book"], "js") {
        if !path.ends_with("mermaid.min.js") {
            strings(&mut lines, &short(&path), &read(&path));
        }
    }
    for path in ["html", "hbs"].into_iter().flat_map(|ending| files(&["book"], ending)) {
        visible(&read(&path)).lines().for_each(|line| add(&mut lines, &short(&path), line));
    }
    let names = descriptions(&mut lines);
    built(&mut lines, &names, patterns);
    lines
}

#[test]
fn words_are_found_wherever_a_reader_sees_them() {
    let mut lines = Lines::new();
    let rust = "//! One. Two\n//! is long.\nlet x = 1; // Three\n    // ANCHOR: b\n// Four\n";
    comments(&mut lines, "a", rust);
    comments(&mut lines, "a", "url = '{{#no no}} //no' # Five\n# Six\n");
    strings(&mut lines, "a", "/** \"no no\" */ say(\"seven 7\", 'b', \"no\"); // \"no no\"\n");
    let value =
        "title = 'eight {{#a \"no\"}}'\nname = 'no no'\nrun = ['no no']\n[[b]]\nc.d = 'a nine'";
    values(&mut lines, "a", "", &toml::from_str(value).expect("it is TOML"));
    let found: Vec<&str> = lines.keys().map(String::as_str).collect();
    let all =
        ["Five", "Four", "One.", "Six", "Three", "Two is long.", "a nine", "eight {{}}", "seven 7"];
    assert_eq!(found, all);
    let html = "<p>t<em>e</em>n<br>a\n<code>no</code> &amp; x</p><pre>no</pre><img alt=\"eleven\">";
    assert_eq!(visible(html), "\nten\na\n`…` & x\n\n\n\neleven");
}

#[test]
fn what_a_directive_adds_to_a_page_is_told_from_its_source() {
    let source = "See *[the page](at-once.md)* at once, {{#median a \"b\"}} more, if you can.\n";
    let sources = letters(source);
    let line = "See the page at once, 5 more, if you can.";
    for (words, line, added) in [
        ("at once", line, false),
        ("more", line, false),
        (r"\d more", line, true),
        ("never", line, false),
        ("at once", "All at once.", true),
        ("at once", "See another page at once, as before.", true),
    ] {
        let regex = Regex::new(words).expect("it is a pattern");
        assert_eq!(is_added(&regex, line, &sources), added, "{words}: {line}");
    }
}
