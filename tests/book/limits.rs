//! How long our files and functions may be, one thought each, and how much a page may show.

use std::{fs, path::PathBuf};

use ladder_tests::none;
use regex::Regex;

use super::{
    build::BUILT,
    page::pages,
    repository::{files_below, read, root, short},
};

/// The most lines of a file.
const FILE: usize = 500;

/// The most lines of a function, its first and its last among them.
const FUNCTION: usize = 60;

/// The most words that a page shows before its reader unfolds anything.
const WORDS: usize = 3_500;

/// A line that begins a function: what stands before `fn`.
const BEFORE: [&str; 7] =
    ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "default"];

/// The name of the function that begins in this line.
fn begins(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.by_ref().find(|word| !BEFORE.contains(word)).filter(|word| *word == "fn")?;
    let name = words.next()?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The functions of a source that rustfmt has formatted, with their first lines, from 1, and their lengths: such a
/// function ends with the brace that is indented as its beginning is.
fn functions(source: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = begins(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| match line.strip_prefix(indent) {
            // A body, or a declaration without one.
            Some(rest) => rest == "}" || !rest.starts_with(' ') && rest.ends_with([';', '}']),
            None => false,
        };
        let length = lines[at..].iter().position(ends).map_or(lines.len() - at, |last| last + 1);
        functions.push((name, at + 1, length));
    }
    functions
}

/// What is too long in the sources below these folders.
fn too_long(folders: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in folders.iter().flat_map(|folder| files_below(&root().join(folder))) {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let (source, path) = (read(&path), short(&path));
        let lines = source.lines().count();
        if lines > FILE {
            complaints.push(format!("{path} has {lines} lines, and may have {FILE}"));
        }
        for (name, line, length) in functions(&source) {
            if length > FUNCTION {
                complaints.push(format!(
                    "{path}:{line}: {name} has {length} lines, and may have {FUNCTION}"
                ));
            }
        }
    }
    complaints
}

#[test]
fn files_and_functions_are_short() {
    none(too_long(&["examples", "exercises", "live", "tests", "tools", "xtask"]));
}

/// The lines of code in these files: no blank lines, and none that hold a comment alone, but `use` lines and braces.
fn lines_of_code(paths: &[PathBuf]) -> usize {
    let sources = paths.iter().map(read).collect::<String>();
    sources
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// The servers by hand are for reading: each is as long as its page says at most.
#[test]
fn the_servers_by_hand_are_short() {
    let examples = root().join("examples");
    let event_loop = ["main.rs", "clients.rs", "client.rs"];
    let event_loop = event_loop.map(|file| examples.join("event_loop").join(file));
    let lines = lines_of_code(&event_loop);
    assert!(lines <= 200, "the event loop has {lines} lines of code");
    let mut runtime = files_below(&examples.join("own_runtime/runtime"));
    assert!(runtime.len() > 3, "{runtime:?}");
    runtime.push(examples.join("own_runtime/queue.rs"));
    let lines = lines_of_code(&runtime);
    assert!(lines <= 350, "the runtime by hand has {lines} lines of code");
}

/// The sources of a folder of `examples/` that holds the steps to a rung.
fn steps_in(folder: &str) -> Vec<PathBuf> {
    let mut files = files_below(&root().join("examples").join(folder));
    files.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    assert!(files.len() > 3, "{files:?}");
    files
}

/// A step to a rung is read on one screen, and the first server at a glance.
#[test]
fn the_steps_to_a_rung_fit_on_a_screen() {
    for path in steps_in("first_server") {
        let most = if path.ends_with("main.rs") { 20 } else { 40 };
        let lines = read(&path).lines().count();
        assert!(lines <= most, "{} has {lines} lines, and may have {most}", short(&path));
    }
    for path in steps_in("first_pool") {
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= 40, "{} has {lines} lines of code, and may have 40", short(&path));
    }
}

/// The steps to rung 4, in lines of code: the first on one screen, and each with a future and what polls it.
#[test]
fn the_steps_to_the_fourth_rung_are_short() {
    let steps = files_below(&root().join("examples/first_task"));
    let sources: Vec<PathBuf> =
        steps.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect();
    assert!(sources.len() > 3, "{sources:?}");
    for path in sources {
        let most = if path.ends_with("main.rs") { 35 } else { 50 };
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= most, "{} has {lines} lines of code, and may have {most}", short(&path));
    }
}

/// How many words of a built page are seen while its folds are closed: prose, tables and code. A drawing's words don't
/// count, and neither do those that are there for a script.
fn words_shown(html: &str) -> usize {
    const SILENT: [&str; 6] = ["button", "nav", "script", "style", "svg", "template"];
    const INSIDE_A_WORD: [&str; 7] = ["a", "b", "code", "em", "i", "span", "strong"];
    let tag = r#"(?s)<!--.*?-->|<(/?)([a-zA-Z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|&\w+;|&#\w+;"#;
    let tag = Regex::new(tag).expect("it is a pattern");
    let main = html.split_once("<main>").and_then(|(_, main)| main.split_once("</main>"));
    let (main, _) = main.expect("a page has a main part");
    // The folds, their summaries and the silent elements around the text, from the outermost.
    let mut around: Vec<String> = Vec::new();
    let (mut shown, mut end) = (String::new(), 0);
    for found in tag.captures_iter(main) {
        let place = found.get(0).expect("all of it").range();
        let folded = (0..around.len()).any(|at| {
            let opens = around.get(at + 1).is_some_and(|inner| inner == "summary");
            around[at] == "details" && !opens || SILENT.contains(&around[at].as_str())
        });
        if !folded {
            shown += &main[end..place.start];
        }
        end = place.end;
        let Some(name) = found.get(2).map(|name| name.as_str().to_lowercase()) else { continue };
        if !INSIDE_A_WORD.contains(&name.as_str()) {
            shown.push(' ');
        }
        if !["details", "summary"].contains(&name.as_str()) && !SILENT.contains(&name.as_str()) {
            continue;
        }
        if &found[1] == "/" {
            around.truncate(around.iter().rposition(|outer| *outer == name).unwrap_or(0));
        } else if !found[3].ends_with('/') {
            around.push(name);
        }
    }
    shown.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// What is longer is two pages, or has parts that can be folded. The glossary is looked up and not read.
#[test]
fn no_page_shows_too_many_words() {
    let mut complaints = Vec::new();
    for page in pages().into_iter().filter(|page| page.stem != "glossary") {
        let html = BUILT.join(format!("{}.html", page.stem));
        let words = words_shown(&fs::read_to_string(html).expect("the page was built"));
        println!("{words:>5}  {}", page.stem);
        if words > WORDS {
            complaints.push(format!("{} shows {words} words, and may show {WORDS}", page.stem));
        }
    }
    none(complaints);
}

#[test]
fn what_is_folded_or_drawn_is_not_shown() {
    let page = "no <main><h1>One</h1><p>two<em>fold</em> &amp; <!-- no -->3</p><details class=\"a>b\">\
                <summary>four</summary><p>no</p><details><summary>no</summary>no</details></details>\
                <svg><text>no</text></svg><pre><code>let five = 6;</code></pre></main> no";
    assert_eq!(words_shown(page), 7);
}

#[test]
fn a_function_is_found_with_its_length() {
    let source = "impl A {\n    pub async fn one(\n        self,\n    ) -> Vec<u8> {\n        if true {\n        }\n    }\n\n    \
                  fn two() {}\n}\n\ntrait B {\n    fn three();\n}\n\n// fn no()\nfn four<'a>() {\n    loop {}\n}\n";
    let found = [("one", 2, 6), ("two", 9, 1), ("three", 13, 1), ("four", 17, 3)];
    assert_eq!(functions(source), found);
    for other in ["let fn_ = 1;", "// fn x() {", "type F = fn(u8);", "pub struct A;"] {
        assert_eq!(begins(other), None, "{other}");
    }
}
